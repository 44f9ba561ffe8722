/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converts any bytes as a trace. The written perf.data must read back with the same records and no new problem; if the
 * trace has no problem, also with the same streams and events, and it must convert to itself. Raw payload must be the
 * good records, byte by byte. PCAP and pcapng must have a packet, Perfetto an instant, and perf script a sample for
 * each record.
 */
#include <endian.h>
#include <json-c/json.h>

#include "framework/analysis/convert.h"
#include "framework/trace/fuzz/walk.h"

/* Returns the output's descriptor; -1: the trace cannot be written in this format. */
static int converted(struct pv_trace *t, const struct pv_converter *c, const struct walk *w)
{
	int fd = fuzz_file(NULL, 0);
	uint64_t n = 0;

	fuzz_check(t);
	if (pv_trace_convert(t, c, fd, &(struct pv_convert_options){0}, &n, NULL)) {
		close(fd);
		fd = -1;
	} else {
		fuzz_check(n == w->n);
	}
	pv_trace_close(t);
	return fd;
}

static uint32_t le32(const char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

/* ---- raw ---- */

static void check_raw(const char *bytes, size_t n, const struct walk *w)
{
	size_t at = 0;

	for (size_t i = 0; i < w->n; i++) {
		const struct pv_record *r = &w->records[i].record;

		fuzz_check(n - at >= pv_record_bytes(r->format));
		for (size_t k = 0; k < pv_record_bytes(r->format) / 4; k++)
			fuzz_check(le32(bytes + at + 4 * k) == r->dw[k]);
		at += pv_record_bytes(r->format);
	}
	fuzz_check(at == n);
}

/* ---- PCAP ---- */

static void check_pcap(const char *bytes, size_t n, const struct walk *w)
{
	size_t at = 24;

	fuzz_check(n >= at && le32(bytes) == 0xa1b23c4d && le32(bytes + 20) == PV_PCAP_LINKTYPE);
	for (size_t i = 0; i < w->n; i++) {
		const struct pv_record *r = &w->records[i].record;
		const char *packet = bytes + at + 16;
		uint32_t captured;

		fuzz_check(n - at >= 16 + PV_PCAP_PSEUDO_BYTES);
		captured = le32(bytes + at + 8);
		fuzz_check(captured <= n - at - 16);
		fuzz_check(captured == PV_PCAP_PSEUDO_BYTES + (r->prefix ? 4u : 0) + (r->tlp.fmt & 1 ? 16u : 12u));
		fuzz_check(le32(bytes + at + 12) - captured ==
			   (pv_tlp_kinds[r->tlp.kind].has_data ? 4u * r->tlp.length_dw : 0));
		fuzz_check(packet[1] == (r->format == PV_RECORD_8DW ? 8 : 4));
		fuzz_check(be32toh(le32(packet + 4)) == r->time);
		at += 16 + captured;
	}
	fuzz_check(at == n);
}

/* ---- pcapng ---- */

enum { SECTION = 0x0a0d0d0a, INTERFACE = 1, STATISTICS = 5, PACKET = 6 };

/* Options fill the block up to its end. */
static void check_options(const char *at, const char *end)
{
	while (at < end) {
		fuzz_check(end - at >= 4);
		at += 4 + (size_t)((le32(at) >> 16) + 3) / 4 * 4;
	}
	fuzz_check(at == end);
}

/*
 * Checks that blocks are whole, that there is one section, that an interface precedes its packets, and that each record
 * has a packet with its time.
 */
static void check_pcapng(const char *bytes, size_t n, const struct walk *w)
{
	size_t packets = 0, interfaces = 0;

	fuzz_check(n >= 28 && le32(bytes) == SECTION);
	for (size_t at = 0, length; at < n; at += length) {
		const char *b = bytes + at;
		uint32_t type = le32(b), captured;

		length = le32(b + 4);
		fuzz_check(length >= 12 && length % 4 == 0 && length <= n - at && le32(b + length - 4) == length);
		fuzz_check((type == SECTION) == !at);
		interfaces += type == INTERFACE;
		if (type != PACKET) {
			fuzz_check(type == SECTION || type == INTERFACE || type == STATISTICS);
			check_options(b + (type == SECTION ? 24 : type == INTERFACE ? 16 : 20), b + length - 4);
			continue;
		}
		captured = le32(b + 20);
		fuzz_check(packets < w->n && le32(b + 8) < interfaces && captured <= length - 32);
		fuzz_check(((uint64_t)le32(b + 12) << 32 | le32(b + 16)) == w->records[packets].time);
		fuzz_check(be32toh(le32(b + 28 + 4)) == w->records[packets].record.time);
		check_options(b + 28 + (captured + 3) / 4 * 4, b + length - 4);
		packets++;
	}
	fuzz_check(packets == w->n && interfaces <= packets);
}

/* ---- perf script ---- */

static void check_perfscript(const char *bytes, size_t n, const struct walk *w)
{
	size_t samples = 0;

	for (const char *at = bytes; at < bytes + n; at = strchr(at, '\n') + 1)
		samples += *at == '\n';
	fuzz_check(samples == w->n && (!n || bytes[n - 1] == '\n'));
}

/* ---- perf.data ---- */

/* Checks that each stream with a good record is there, with its event. */
static void check_streams(const struct pv_trace *a, const struct pv_trace *b)
{
	size_t k = 0;

	for (size_t i = 0; i < pv_trace_streams(a); i++) {
		const struct pv_trace_stream *x = pv_trace_stream(a, i), *y;

		if (x->format == PV_RECORD_UNKNOWN) /* the stream has no good record */
			continue;
		fuzz_check(k < pv_trace_streams(b));
		y = pv_trace_stream(b, k++);
		if (x->has_config)
			fuzz_check(y->has_config && x->config == y->config && x->pmu_type == y->pmu_type);
	}
	fuzz_check(k == pv_trace_streams(b));
}

/*
 * 8DW records are marked, so they are found again whatever surrounds them; 4DW records are recognised by their content.
 */
static bool is_all_8dw(const struct walk *w)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->records[i].record.format != PV_RECORD_8DW)
			return false;
	return true;
}

static void check_itself(const char *bytes, size_t n, const struct walk *w)
{
	int fd = converted(pv_trace_open_memory(bytes, n, NULL), &pv_convert_perfdata, w);
	size_t n_again;
	char *again;

	fuzz_check(fd >= 0);
	again = fuzz_contents(fd, &n_again);
	fuzz_check(n_again == n && !memcmp(bytes, again, n));
	free(again);
	close(fd);
}

static void check_perfdata(const char *bytes, size_t n, const struct walk *w)
{
	struct pv_trace *t = pv_trace_open_memory(bytes, n, NULL);
	struct walk again;

	fuzz_check(t);
	again = walk_reader(t);
	if (!w->n || !is_all_8dw(w)) {
		walk_end(&again);
		return;
	}
	fuzz_check(again.n == w->n && pv_trace_problems(t) <= pv_trace_problems(w->trace));
	for (size_t i = 0; i < w->n; i++)
		fuzz_check(walk_same_words(&w->records[i].record, &again.records[i].record));
	/* With damage, an event may become known after its data, and marks of losses may move. */
	if (!pv_trace_problems(w->trace)) {
		check_streams(w->trace, t);
		check_itself(bytes, n, w);
	}
	walk_end(&again);
}

/* ---- Perfetto ---- */

/* Checks that every record has an instant, and every slice two ends. */
static void check_perfetto(const char *bytes, size_t n, const struct walk *w)
{
	json_object *whole = json_tokener_parse(bytes), *all = json_object_object_get(whole, "traceEvents");
	size_t instants = 0, begins = 0, ends = 0;

	fuzz_check(json_object_is_type(all, json_type_array));
	for (size_t i = 0; i < json_object_array_length(all); i++) {
		json_object *e = json_object_array_get_idx(all, i);
		char phase = *json_object_get_string(json_object_object_get(e, "ph"));

		instants += phase == 'i';
		begins += phase == 'b';
		ends += phase == 'e';
		fuzz_check(strchr("Mibe", phase) && (phase == 'M' || json_object_object_get(e, "ts")));
	}
	fuzz_check(instants == w->n && begins == ends && begins <= w->n);
	json_object_put(whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct {
		const struct pv_converter *to;
		void (*check)(const char *bytes, size_t n, const struct walk *w);
	} outputs[] = {
		{&pv_convert_raw, check_raw},		{&pv_convert_pcap, check_pcap},
		{&pv_convert_pcapng, check_pcapng},	{&pv_convert_perfscript, check_perfscript},
		{&pv_convert_perfdata, check_perfdata}, {&pv_convert_perfetto, check_perfetto},
	};
	struct walk w = walk_memory(data, size);

	for (size_t i = 0; i < sizeof(outputs) / sizeof(*outputs) && w.trace; i++) {
		int fd = converted(pv_trace_open_memory(data, size, NULL), outputs[i].to, &w);
		size_t n;
		char *bytes;

		if (fd < 0)
			continue;
		bytes = fuzz_contents(fd, &n);
		outputs[i].check(bytes, n, &w);
		free(bytes);
		close(fd);
	}
	walk_end(&w);
	return 0;
}
