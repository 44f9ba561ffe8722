/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a ledger file: as they are, and behind a right head, so that the oracles meet records that
 * no model ever writes.
 */
#include "framework/oracle/oracle.h"
#include "framework/util/fuzz/fuzz.h"

static void check_trace(struct pv_ledger *l, const struct pv_window *win, const uint8_t *data, size_t size)
{
	struct pv_trace_spec s = {.filter = 0x8ffff, .type = 7, .direction = 2, .range_upper = 0xffff};
	static const uint64_t gap[] = {0, 0, 10, 32, 48, 64, 1024};
	struct pv_trace_diff d;

	for (int format = 0; format < 2; format++) {
		struct pv_trace_data trace = {data, size, format, gap, size % 8, size & 8};

		s.format_8dw = format;
		if (pv_oracle_check_trace(l, win, &s, &trace, &d))
			continue;
		/* Received = expected - missing + extra; a cut record at the end counts as extra. */
		fuzz_check(d.got + (size % (format ? 32 : 16) != 0) == d.expected - d.missing + d.extra);
		fuzz_check(d.told <= d.missing && d.idle <= trace.gaps / 2);
	}
}

/*
 * The trace that the ledger says, all of it: nothing may be wrong with it. The first half of it: the rest is missing.
 */
static void check_right_trace(struct pv_ledger *l, bool is_8dw)
{
	struct pv_trace_spec s = {
		.filter = 0x8ffff, .type = 7, .direction = 2, .range_upper = 0xffff, .format_8dw = is_8dw};
	uint64_t n = pv_ledger_records(l), traced = 0;
	struct pv_window win = {0, 0, n, n, 0, 0, UINT64_MAX, UINT64_MAX};
	struct pv_ledger_reader *r = pv_ledger_read(l, 0, n);
	uint8_t *bytes = malloc(32 * n + 1);
	const struct pv_wire *w;
	struct pv_trace_diff d;
	size_t len = 0;

	fuzz_check(r && bytes);
	while ((w = pv_ledger_next(r)))
		if (pv_oracle_traced(&s, w)) {
			len += pv_oracle_record(&s, pv_ledger_head(l), w, bytes + len);
			traced++;
		}
	pv_ledger_close(r);
	fuzz_check(!pv_oracle_check_trace(l, &win, &s, &(struct pv_trace_data){.bytes = bytes, .len = len}, &d));
	fuzz_check(d.expected == traced && d.got == traced && !d.missing && !d.extra && !d.differing);
	len = traced / 2 * (is_8dw ? 32 : 16);
	fuzz_check(!pv_oracle_check_trace(l, &win, &s, &(struct pv_trace_data){.bytes = bytes, .len = len}, &d));
	fuzz_check(d.expected == traced && d.got == traced / 2 && d.missing == traced - traced / 2 + d.extra);
	free(bytes);
}

static void ask_all(struct pv_ledger *l, const uint8_t *data, size_t size)
{
	uint64_t n = pv_ledger_records(l);
	struct pv_window win = {0, n / 4, n - n / 4, n, 0, 1 << 20, 1ull << 40, UINT64_MAX};
	struct pv_cpmu_query cpmu = {
		.vid = 0x1e98, .mask = ~0u, .threshold = 1, .edge = true, .hdm_enable = true, .hdm = 5};
	struct pv_measure_spec measure = {0};
	struct pv_bounds b;
	double d;

	check_trace(l, &win, data, size);
	check_right_trace(l, false);
	check_right_trace(l, true);
	for (unsigned gid = 0; gid <= 0x25; gid++) {
		cpmu.gid = (uint16_t)gid;
		cpmu.invert = gid & 1;
		fuzz_check(pv_oracle_cpmu(l, &win, &cpmu, &b) || b.min <= b.max);
	}
	for (unsigned id = 0; id < 0x800; id++) {
		struct pv_dwc_query e = {.lane_event = id >> 8, .eventid = (uint16_t)id};

		fuzz_check(pv_oracle_dwc(l, &win, &e, &b) || b.min <= b.max);
	}
	for (int what = 0; what <= PV_MEASURE_SHORT_WRITES; what++) {
		measure.what = (enum pv_measure)what;
		pv_oracle_measure(l, &win, &measure, &d);
	}
}

static void run(int fd, const uint8_t *data, size_t size)
{
	struct pv_ledger *l = NULL;

	if (pv_ledger_load(fuzz_path(fd), &l))
		return;
	ask_all(l, data, size);
	pv_ledger_free(l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pv_wire_file head = {PV_WIRE_MAGIC, sizeof(struct pv_wire),	 1000, 2000,
				    1000,	   size / sizeof(struct pv_wire)};
	int fd = memfd_create("ledger", MFD_CLOEXEC);

	if (fd < 0)
		return 0;
	if (write(fd, data, size) == (ssize_t)size)
		run(fd, data, size);
	if (!ftruncate(fd, 0) && pwrite(fd, &head, sizeof(head), 0) == sizeof(head) &&
	    pwrite(fd, data, head.records * sizeof(struct pv_wire), sizeof(head)) >= 0)
		run(fd, data, size);
	close(fd);
	return 0;
}
