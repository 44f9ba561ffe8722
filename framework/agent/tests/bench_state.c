/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The steps of a script that set up state: TLPs on the wire, records of a trace, counts of a counter. `.end` ends the
 * case.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/cpmu.h"
#include "drivers/regs/pcie.h"
#include "drivers/regs/ptt.h"
#include "framework/agent/tests/bench.h"
#include "framework/agent/traces.h"
#include "framework/oracle/tests/make.h"
#include "framework/trace/tests/perffile.h"
#include "framework/util/cleanup.h"

static struct pv_bench *bench(struct pv_session *s)
{
	return (struct pv_bench *)s;
}

/* ---- the wire ---- */

static const struct {
	const char *name;
	uint32_t dw0;
	unsigned overhead;
} tlps[] = {{"mwr64", MWR64, 24}, {"mrd64", MRD64, 24}, {"cpld", CPLD, 20}, {"mwr32", MWR32, 20}};

static struct pv_wire tlp(struct pv_session *s, const struct pv_args *a, unsigned kind, uint64_t n)
{
	pv_bdf port = 0;
	unsigned bytes = (unsigned)pv_arg_number(a, "bytes"), first = (unsigned)pv_arg_number(a, "lower");
	struct pv_wire w = make_write(n);

	cr_assert_eq(pv_session_bdf(s, pv_arg_text(a, "port"), &port), 0);
	w.time_ps = 1000000 + pv_arg_number(a, "gap-ps") * n;
	w.port = port;
	w.dir = pv_arg_choice(a, "dir") ? PV_WIRE_OUT : PV_WIRE_IN;
	w.origin = kind == 2 ? PV_ORIGIN_DMA : PV_ORIGIN_DEVICE;
	w.hdr[0] = tlps[kind].dw0 | bytes / 4;
	w.requester = (uint16_t)pv_arg_number(a, "requester");
	w.hdr[1] = kind == 2 ? (uint32_t)pv_arg_number(a, "left") : (w.hdr[1] & 0xffff) | (uint32_t)w.requester << 16;
	if (kind == 2)
		w.hdr[2] = (uint32_t)w.requester << 16 | first;
	w.data_bytes = kind == 1 ? 0 : bytes;
	w.wire_bytes = w.data_bytes + tlps[kind].overhead;
	return w;
}

static int wire(struct pv_session *s, const struct pv_args *a)
{
	for (uint64_t n = 0; n < pv_arg_number(a, "n"); n++) {
		struct pv_wire w = tlp(s, a, (unsigned)pv_arg_choice(a, "kind"), n);

		pv_ledger_add(bench(s)->fake.ledger, &w);
	}
	return 0;
}

/* Adds a D2H request of mem0 in its own cycle. */
static struct pv_wire message(uint64_t n)
{
	return (struct pv_wire){.time_ps = 1000000 + n * test_head.cpmu_cycle_ps,
				.what = PV_WIRE_CXL,
				.port = 0x0200,
				.hdr = {PV_CXL_D2H_REQ, 1}};
}

static int cxl(struct pv_session *s, const struct pv_args *a)
{
	const char *what = pv_arg_text(a, "what");

	for (uint64_t n = 0; n < pv_arg_number(a, "n"); n++) {
		struct pv_wire w = message(n);

		if (!strcmp(what, "mem"))
			w.hdr[0] = PV_CXL_M2S_REQ;
		if (!strcmp(what, "dram")) {
			w.what = PV_WIRE_DDR;
			w.hdr[0] = PV_DDR_ACT;
			w.hdr[1] = PV_WIRE_PLACE(0, 0, 3, 0);
		}
		pv_ledger_add(bench(s)->fake.ledger, &w);
	}
	return 0;
}

/* An event at the receiver of rp0: an overflow of the elastic buffer. */
static int phy(struct pv_session *s, const struct pv_args *a)
{
	const struct pv_wire w = {.what = PV_WIRE_PHY,
				  .port = RP0,
				  .lane = (uint8_t)pv_arg_number(a, "lane"),
				  .hdr = {PV_PHY_EBUF_OVERFLOW}};

	for (uint64_t n = 0; n < pv_arg_number(a, "n"); n++)
		pv_ledger_add(bench(s)->fake.ledger, &w);
	return 0;
}

static struct pv_window window(struct pv_session *s, uint64_t slack)
{
	uint64_t all = pv_ledger_records(bench(s)->fake.ledger), now = s->t->machine->ops->now_ps(s->t->machine);

	return (struct pv_window){0, slack, all - slack, all, 0, 0, now, now};
}

/* ---- traces ---- */

static void commit(struct pv_session_trace *t, size_t *from, uint32_t flags)
{
	t->commit = reallocarray(t->commit, t->commits + 1, sizeof(*t->commit));
	t->commit[t->commits++] = (struct pv_trace_commit){t->data.len - *from, flags};
	*from = t->data.len;
}

/* A word of `records`: a record of the wire, a TLP that was never there, or the end of a commit. */
struct item {
	enum { RECORD, OTHER, COMMIT } what;
	uint64_t n; /* of the record */
	bool late;  /* one tick later than on the wire */
	uint32_t flags;
};

/* State of the parser of items: the remaining words, and the rest of the current range. */
struct items {
	const char *text;
	uint64_t n, end;
};

static struct item item_of(const char *word)
{
	struct item i = {.what = RECORD, .late = !strncmp(word, "late-", 5)};
	char *end;

	if (!strcmp(word, "other"))
		return (struct item){.what = OTHER};
	if (!strcmp(word, "commit"))
		return (struct item){.what = COMMIT};
	if (!strcmp(word, "truncated"))
		return (struct item){.what = COMMIT, .flags = PV_PERF_AUX_TRUNCATED};
	word += i.late ? 5 : 0;
	i.n = strtoull(word, &end, 10);
	cr_assert(end != word, "expected a record, other, commit or truncated, got \"%s\"", word);
	return i;
}

static bool next_item(struct items *from, struct item *i)
{
	char word[24], *last;
	int used;

	if (from->n < from->end) {
		*i = (struct item){.what = RECORD, .n = from->n++};
		return true;
	}
	if (sscanf(from->text, "%23s%n", word, &used) != 1)
		return false;
	from->text += used;
	*i = item_of(word);
	last = strchr(word, '-');
	if (last && !i->late)
		*from = (struct items){from->text, i->n + 1, strtoull(last + 1, NULL, 10) + 1};
	return true;
}

/* Returns the length of the record, which is made at `record`. */
static size_t record_of(struct pv_session *s, const struct item *i, bool format_8dw, uint8_t record[32])
{
	const struct pv_trace_spec spec = {.format_8dw = format_8dw};
	struct pv_ledger *l = bench(s)->fake.ledger;
	struct pv_ledger_reader *r = pv_ledger_read(l, i->n, i->n + 1);
	const struct pv_wire *there = pv_ledger_next(r);

	cr_assert(there != NULL || i->what == OTHER, "no record %lu on the wire", (unsigned long)i->n);
	struct pv_wire w = i->what == OTHER ? make_write(200) : *there;
	w.time_ps += i->late ? pv_ledger_head(l)->ptt_tick_ps : 0;
	pv_ledger_close(r);
	return pv_oracle_record(&spec, pv_ledger_head(l), &w, record);
}

/* The driver hands records over to the trace that was started last, the last of them with flags. */
static int deliver(struct pv_session *s, const struct pv_args *a)
{
	const struct pv_fake *f = &bench(s)->fake;
	struct items from = {.text = pv_arg_text(a, "records")};
	struct item i, next;
	uint8_t record[32];

	for (bool any = next_item(&from, &i); any; i = next) {
		any = next_item(&from, &next);
		cr_assert_eq(f->aux(f->aux_ctx, record, record_of(s, &i, true, record),
				    any ? 0 : (uint32_t)pv_arg_number(a, "flags")),
			     0);
	}
	return 0;
}

static void fill(struct pv_session *s, struct pv_session_trace *t, const char *records)
{
	struct items from = {.text = records};
	struct item i;
	uint8_t record[32];
	size_t begin = 0;
	bool format_8dw = pv_trace_term(t, "format");

	while (next_item(&from, &i)) {
		if (i.what == COMMIT)
			commit(t, &begin, i.flags);
		else
			cr_assert_eq(pv_spill_append(&t->data, record, record_of(s, &i, format_8dw, record)), 0);
	}
	if (t->data.len > begin)
		commit(t, &begin, 0);
	t->unread = t->data.len;
}

/* A trace of rp0, 8DW, posted inbound, unless another config is given. */
static int trace(struct pv_session *s, const struct pv_args *a)
{
	struct pv_session_trace *t = calloc(1, sizeof(*t));

	pv_session_drop_trace(s, pv_arg_text(a, "id"));
	*t = (struct pv_session_trace){.next = s->traces, .area = SIZE_MAX};
	cr_assert_eq(pv_trace_starting(s, t), 0);
	t->window[0].win = window(s, 0);
	t->data = PV_SPILL_INIT(1 << 20);
	t->config.word[0] = pv_arg_number(a, "config");
	snprintf(t->id, sizeof(t->id), "%s", pv_arg_text(a, "id"));
	snprintf(t->pmu, sizeof(t->pmu), "%s", pv_arg_text(a, "pmu"));
	s->traces = t;
	t->error = pv_arg_has(a, "lost") ? -ENOSPC : 0;
	fill(s, t, pv_arg_text(a, "records"));
	t->running = pv_arg_yes(a, "runs");
	t->event = t->running ? (struct pv_perf_event *)s : NULL;
	return 0;
}

/* ---- counters and measures ---- */

/* The lowest byte of each word that is given is documented, and the event has a name where that is so of config. */
static void document(struct pv_event_doc *d, const struct pv_args *a)
{
	static const char *const words[] = {"documented", "documented1", "documented2"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		d->mask.word[i] = pv_arg_has(a, words[i]) ? 0xff : 0;
		d->config.word[i] = pv_arg_number(a, words[i]);
	}
	if (pv_arg_has(a, "documented"))
		snprintf(d->name, sizeof(d->name), "name");
}

/* Counts d2h_req_rdcurr of mem0, unless another PMU and config are given, over everything on the wire. */
static int counter(struct pv_session *s, const struct pv_args *a)
{
	struct pv_counter *c = calloc(1, sizeof(*c));

	*c = (struct pv_counter){.next = s->counters, .what = "what", .read = true, .parent = 0x0200};
	snprintf(c->id, sizeof(c->id), "%s", pv_arg_text(a, "id"));
	snprintf(c->pmu, sizeof(c->pmu), "%s", pv_arg_text(a, "pmu"));
	c->config[0] = pv_arg_number(a, "config");
	c->config[1] = pv_arg_number(a, "config1");
	c->config[2] = pv_arg_number(a, "config2");
	document(&c->documented, a);
	c->value = pv_arg_number(a, "value");
	c->windows = pv_arg_number(a, "windows");
	c->running = pv_arg_yes(a, "runs");
	c->event = c->running ? (struct pv_perf_event *)s : NULL;
	c->win = calloc(c->windows ? c->windows : 1, sizeof(*c->win));
	for (size_t i = 0; i < c->windows; i++)
		c->win[i] = window(s, pv_arg_number(a, "slack"));
	s->counters = c;
	return 0;
}

static int measure(struct pv_session *s, const struct pv_args *a)
{
	struct pv_named *m = pv_session_name(s, &s->measures, pv_arg_text(a, "id"));

	m->value = pv_arg_real(a, "value");
	return 0;
}

/* ---- goldens ---- */

/* Sets the folder of goldens, whether they are recorded, and a new name of the case. */
static int golden(struct pv_session *s, const struct pv_args *a)
{
	struct pv_bench *b = bench(s);
	json_object *o = json_object_new_object();

	if (!*b->golden) {
		snprintf(b->golden, sizeof(b->golden), "/tmp/pcieval-bench-XXXXXX");
		cr_assert(mkdtemp(b->golden) != NULL);
	}
	json_object_object_add(o, "mode", json_object_new_string(pv_arg_text(a, "mode")));
	json_object_object_add(o, "folder", json_object_new_string(b->golden));
	json_object_object_add(o, "staging", json_object_new_string(b->golden));
	json_object_object_add(s->msg, "golden", o);
	if (!pv_arg_has(a, "case"))
		return 0;
	json_object *former = json_object_new_array();
	json_object_array_add(former, json_object_new_string("gone"));
	json_object_array_add(former, json_object_new_string(s->case_name));
	json_object_object_add(s->msg, "formerly", former);
	snprintf(b->case_name, sizeof(b->case_name), "%s", pv_arg_text(a, "case"));
	s->case_name = b->case_name;
	return 0;
}

/* ---- the machine ---- */

static void put16(struct pv_cfg_image *c, unsigned at, unsigned v)
{
	c->data[at] = v & 0xff;
	c->data[at + 1] = v >> 8 & 0xff;
}

static unsigned field(unsigned bytes)
{
	return (unsigned)__builtin_ctz(bytes) - 7;
}

static struct pv_cfg_image image(pv_bdf bdf, unsigned mpss, unsigned mps, unsigned mrrs)
{
	struct pv_cfg_image c = {.bdf = bdf};
	bool port = bdf == RP0;
	unsigned cap = 0x40;

	put16(&c, PCI_VENDOR_ID, 0x19e5);
	put16(&c, PCI_STATUS, PCI_STATUS_CAP_LIST);
	c.data[PCI_HEADER_TYPE] = port;
	c.data[PCI_SECONDARY_BUS] = c.data[PCI_SUBORDINATE_BUS] = port;
	c.data[PCI_CAPABILITIES] = (uint8_t)cap;
	c.data[cap] = PCI_CAP_ID_EXP;
	put16(&c, cap + PCI_EXP_FLAGS, 2 | (port ? 4u : 0u) << PCI_EXP_FLAGS_TYPE_SHIFT);
	c.data[cap + PCI_EXP_DEVCAP] = (uint8_t)field(mpss);
	put16(&c, cap + PCI_EXP_DEVCTL,
	      field(mps) << PCI_EXP_DEVCTL_MPS_SHIFT | field(mrrs) << PCI_EXP_DEVCTL_MRRS_SHIFT);
	return c;
}

static void image_now(struct pv_fake *f, pv_bdf bdf, const char *sizes)
{
	unsigned mps = 0, mrrs = 0;

	if (!strcmp(sizes, "gone"))
		return;
	cr_assert_eq(sscanf(sizes, "%u/%u", &mps, &mrrs), 2, "expected MPS/MRRS, got %s", sizes);
	f->after[f->n_after++] = image(bdf, 512, mps, mrrs);
}

/* rp0 with an MPSS of 512 and nic0 with one of 256, both 128/512 out of reset; what they have now. */
static int machine(struct pv_session *s, const struct pv_args *a)
{
	struct pv_fake *f = &bench(s)->fake;

	f->before = calloc(2, sizeof(*f->before));
	f->after = calloc(3, sizeof(*f->after));
	f->before[0] = image(RP0, 512, 128, 512);
	f->before[1] = image(NIC, 256, 128, 512);
	f->n_before = pv_arg_yes(a, "empty") ? 0 : 2;
	image_now(f, RP0, pv_arg_text(a, "rp0"));
	image_now(f, NIC, pv_arg_text(a, "nic0"));
	if (pv_arg_yes(a, "extra"))
		image_now(f, NIC + 1, "128/512");
	return 0;
}

/* A register of the machine: other widths and places read as 0. */
static int reg(struct pv_session *s, const struct pv_args *a)
{
	struct pv_fake *f = &bench(s)->fake;
	struct pv_fake_reg *r = &f->reg[f->regs++];

	cr_assert_leq(f->regs, PV_FAKE_REGS);
	*r = (struct pv_fake_reg){.bar = (int)pv_arg_signed(a, "bar"),
				  .off = (uint32_t)pv_arg_number(a, "offset"),
				  .bytes = (unsigned)pv_arg_number(a, "bytes"),
				  .value = pv_arg_number(a, "value"),
				  .grows = pv_arg_number(a, "grows")};
	return pv_session_bdf(s, pv_arg_text(a, "device"), &r->bdf);
}

static void add_reg(struct pv_session *s, pv_bdf bdf, int bar, uint32_t off, unsigned bytes, uint64_t value)
{
	struct pv_fake *f = &bench(s)->fake;

	cr_assert_lt(f->regs, PV_FAKE_REGS);
	f->reg[f->regs++] = (struct pv_fake_reg){.bdf = bdf, .bar = bar, .off = off, .bytes = bytes, .value = value};
}

static struct pv_fake_file *add_file(struct pv_session *s, const char *pmu, const char *path, const char *text)
{
	struct pv_fake *f = &bench(s)->fake;
	struct pv_fake_file *file = &f->file_of[f->files++];

	cr_assert_leq(f->files, PV_FAKE_FILES);
	snprintf(file->pmu, sizeof(file->pmu), "%s", pmu);
	snprintf(file->path, sizeof(file->path), "%s", path);
	snprintf(file->text, sizeof(file->text), "%s", text);
	return file;
}

static int file(struct pv_session *s, const struct pv_args *a)
{
	struct pv_fake_file *f = add_file(s, pv_arg_text(a, "pmu"), pv_arg_text(a, "path"), pv_arg_text(a, "text"));

	f->error = -pv_arg_errno(a, "error");
	return 0;
}

/* Gives a function a PCI Express capability at 0x40, and rp0 a RAS D.E.S. capability. */
static int express(struct pv_session *s, const struct pv_args *a)
{
	pv_bdf bdf;

	cr_assert_eq(pv_session_bdf(s, pv_arg_text(a, "device"), &bdf), 0);
	add_reg(s, bdf, -1, PCI_CAPABILITIES, 1, 0x40);
	add_reg(s, bdf, -1, 0x40, 2, PCI_CAP_ID_EXP);
	add_reg(s, bdf, -1, 0x40 + PCI_EXP_FLAGS, 2, pv_arg_number(a, "type") << PCI_EXP_FLAGS_TYPE_SHIFT);
	add_reg(s, bdf, -1, 0x40 + PCI_EXP_DEVCTL, 2, pv_arg_number(a, "devctl"));
	add_reg(s, bdf, -1, 0x40 + PCI_EXP_LNKSTA, 2, pv_arg_number(a, "lnksta"));
	add_reg(s, bdf, -1, 0x40 + PCI_EXP_LNKCAP, 4, pv_arg_number(a, "lnkcap"));
	return 0;
}

/* A CPMU of mem0 with one counter and the group of D2H requests; it shows two events, and perhaps the HDM filter. */
static int cpmu(struct pv_session *s, const struct pv_args *a)
{
	static const char pmu[] = "cxl_pmu_mem0.0";
	char event[64];

	add_reg(s, 0x0200, -1, 0x100, 4, PCI_EXT_CAP_ID_DVSEC);
	add_reg(s, 0x0200, -1, 0x100 + PCI_DVSEC_HEADER1, 4, 0x01400000 | CXL_DVSEC_VENDOR_ID);
	add_reg(s, 0x0200, -1, 0x100 + PCI_DVSEC_HEADER2, 2, CXL_DVSEC_REG_LOCATOR_ID);
	add_reg(s, 0x0200, -1, 0x100 + CXL_REG_LOCATOR_FIRST, 4, CXL_REG_BLOCK_CPMU << CXL_REG_LOCATOR_ID_SHIFT);
	add_reg(s, 0x0200, 0, CPMU_CAP, 8, pv_arg_number(a, "cap"));
	add_reg(s, 0x0200, 0, CPMU_EVENT_CAP(0), 8, 0x1e98001000000000 | pv_arg_number(a, "events"));
	add_reg(s, 0x0200, 0, CPMU_COUNTER_CFG(0), 8, pv_arg_number(a, "cfg"));
	add_file(s, pmu, "format/mask", "config:0-31");
	add_file(s, pmu, "format/gid", "config:32-47");
	add_file(s, pmu, "format/vid", "config:48-63");
	snprintf(event, sizeof(event), "vid=%s,gid=0x10,mask=%s", pv_arg_text(a, "vid"), pv_arg_text(a, "mask"));
	add_file(s, pmu, "events/d2h_req_rdcurr", event);
	if (!pv_arg_yes(a, "lacks"))
		add_file(s, pmu, "events/d2h_req_rdown", "vid=0x1e98,gid=0x10,mask=0x4");
	if (*pv_arg_text(a, "format"))
		add_file(s, pmu, pv_arg_text(a, "format"), "config1:18");
	return 0;
}

/* The PTT of rp0, with two filters and a tune file. */
static int ptt(struct pv_session *s, const struct pv_args *a)
{
	static const char pmu[] = "hisi_ptt0_0";

	add_reg(s, 0x0008, PTT_BAR, PTT_LOCATION, 4, pv_arg_number(a, "location"));
	add_reg(s, 0x0008, PTT_BAR, PTT_DEVICE_RANGE, 4, pv_arg_number(a, "range"));
	add_reg(s, 0x0008, PTT_BAR, PTT_TUNING_CTRL, 4, pv_arg_number(a, "ctrl"));
	add_reg(s, 0x0008, PTT_BAR, PTT_TUNING_DATA, 4, pv_arg_number(a, "data"));
	if (*pv_arg_text(a, "port"))
		add_file(s, pmu, "root_port_filters/0000:00:10.0", pv_arg_text(a, "port"));
	add_file(s, pmu, "root_port_filters/multiselect", "1");
	add_file(s, pmu, "requester_filters/0000:01:00.0", pv_arg_text(a, "requester"));
	add_file(s, pmu, "tune/qos_tx_cpl", pv_arg_text(a, "tune"));
	return 0;
}

/* Output of programs: lines separated by "\\n". */
static int program(struct pv_session *s, const struct pv_args *a)
{
	struct pv_fake *f = &bench(s)->fake;

	f->exits = (int)pv_arg_number(a, "exits");
	f->complains = pv_arg_yes(a, "complains");
	f->cut = pv_arg_yes(a, "cut");
	snprintf(f->said, sizeof(f->said), "%s", pv_arg_text(a, "says"));
	for (char *c = f->said; (c = strstr(c, "\\n")); memmove(c + 1, c + 2, strlen(c + 1)))
		*c = '\n';
	if (pv_arg_yes(a, "none"))
		f->base.shell = NULL;
	return 0;
}

static int set_clock(struct pv_session *s, const struct pv_args *a)
{
	bench(s)->fake.clock_ps = 1000000000 * pv_arg_number(a, "ms");
	return 0;
}

/* Result of the workload commands, and the tolerance for it. */
static int command(struct pv_session *s, const struct pv_args *a)
{
	struct pv_fake *f = &bench(s)->fake;

	f->moved = pv_arg_number(a, "moves");
	f->commands.tolerance = pv_arg_real(a, "tolerance");
	if (pv_arg_yes(a, "none"))
		f->base.commands = NULL;
	return 0;
}

/*
 * The perf.data of a perf record, with these records, the first with `flags`, the rest with `then`; `cut` bytes are
 * missing at its end.
 */
static int perf_data(struct pv_session *s, const struct pv_args *a)
{
	static struct perf_file file;
	struct pv_fake *f = &bench(s)->fake;
	uint8_t payload[64 * 32];
	struct items from = {.text = pv_arg_text(a, "records")};
	struct item i;
	size_t n = 0;

	while (next_item(&from, &i))
		n += record_of(s, &i, true, payload + n);
	pf_begin_one(&file, pv_arg_number(a, "config"));
	pf_info(&file, 6, PF_PMU, -1);
	pf_id_index(&file, 1);
	if (pv_arg_number(a, "flags") && n >= 32) {
		pf_aux(&file, 0, 32, pv_arg_number(a, "flags"), 100);
		pf_aux(&file, 32, n - 32, pv_arg_number(a, "then"), 100);
	}
	pf_auxtrace(&file, payload, n, 0, 0);
	pf_end(&file);
	f->file = file.bytes;
	f->file_bytes = file.n - pv_arg_number(a, "cut");
	return 0;
}

static int driver(struct pv_session *s, const struct pv_args *a)
{
	struct pv_fake *f = &bench(s)->fake;

	f->error = -pv_arg_errno(a, "error");
	f->gone = pv_arg_yes(a, "gone");
	f->bytes[0] = (int)pv_arg_number(a, "mps");
	f->bytes[1] = (int)pv_arg_number(a, "mrrs");
	f->count = pv_arg_number(a, "count");
	f->base.ptt_tick_hz = pv_arg_real(a, "tick-hz");
	f->during = (unsigned)pv_arg_number(a, "during");
	if (pv_arg_has(a, "perf"))
		s->driver = "kernel";
	f->meanwhile[0] = make_write(7);
	f->meanwhile[1] = message(7);
	snprintf(f->why, sizeof(f->why), "%s", pv_arg_text(a, "why"));
	snprintf(f->pmus, sizeof(f->pmus), "%s", pv_arg_text(a, "pmus"));
	snprintf(f->log, sizeof(f->log), "%s", pv_arg_text(a, "log"));
	return 0;
}

/* ---- the case as a whole ---- */

static int stray_dma(struct pv_session *s, const struct pv_args *a)
{
	bench(s)->fake.dma_lost = (struct pv_dma_lost){pv_arg_number(a, "writes"), NIC, 0x1000};
	return 0;
}

/* A driver that reads registers, which breaks no rule. */
static int driver_reads(struct pv_session *s, const struct pv_args *a)
{
	for (uint64_t n = 0; n < pv_arg_number(a, "n"); n++)
		pv_rules_access(bench(s)->fake.rules, &(struct pv_rule_access){n, NIC, PTT_BAR, PTT_TRACE_STS, 4, 0});
	return 0;
}

/* A driver that writes the size of a PTT's buffers while the engine is not idle: PT-2. */
static int break_rule(struct pv_session *s, const struct pv_args *a)
{
	struct pv_fake *f = &bench(s)->fake;

	for (uint64_t n = 0; n < pv_arg_number(a, "times"); n++)
		pv_rules_access(f->rules,
				&(struct pv_rule_access){n, NIC, PTT_BAR, PTT_TRACE_ADDR_SIZE, 4, 0x1000, true});
	return 0;
}

static int held(struct pv_session *s, const struct pv_args *a)
{
	bench(s)->fake.holds = true;
	return 0;
}

/* A ledger that cannot be written any more. */
static int full_disk(struct pv_session *s, const struct pv_args *a)
{
	struct pv_fake *f = &bench(s)->fake;
	const struct pv_wire w = make_write(0);

	pv_ledger_free(f->ledger);
	f->ledger = pv_ledger_new("/nonexistent/ledger", sizeof(w), &test_head);
	pv_ledger_add(f->ledger, &w);
	pv_ledger_add(f->ledger, &w);
	return 0;
}

static int end(struct pv_session *s, const struct pv_args *a)
{
	s->step = NULL;
	pv_session_judge_case(s);
	return 0;
}

#define TYPE(id) &pv_types[PV_TYPE_##id]
#define OF(id, name, def)               \
	{                               \
		name, TYPE(id), "", def \
	}
#define N(name, def) OF(NUMBER, name, def)
#define T(name, def) OF(TEXT, name, def)
#define ATTRS(...)                                                             \
	{                                                                      \
		.attrs = {(const struct pv_attr_decl[]){__VA_ARGS__, {NULL}} } \
	}

/* clang-format off */
static struct pv_type kind_of_tlp = {"kind", "a kind of TLP", .form = PV_TYPE_FORM_ENUM,
	.values = (const char *const[]){"mwr64", "mrd64", "cpld", "mwr32", NULL}};
/* clang-format on */

/* Like a real machine: no traffic generator, no ledger, read-only. */
static int read_only(struct pv_session *s, const struct pv_args *a)
{
	static struct pv_driver_ops ops;
	static struct pv_machine_ops machine;

	machine = *s->t->machine->ops;
	machine.reg_write = NULL;
	s->t->machine->ops = &machine;
	ops = *s->t->driver->ops;
	ops.attr_write = NULL;
	ops.set_size = NULL;
	ops.rescan = NULL;
	ops.remove = NULL;
	ops.set_vfs = NULL;
	s->t->driver->ops = &ops;
	s->t->workload = NULL;
	s->t->truth = NULL;
	return 0;
}

const struct pv_bench_state pv_bench_states[] = {
	{{".wire", wire, 0},
	 ATTRS(N("n", "1"), T("port", "rp0"), OF(DIRECTION, "dir", "in"), {"kind", &kind_of_tlp, "", "mwr64"},
	       N("bytes", "64"), N("gap-ps", "20000"), N("requester", "0x100"), N("left", "64"), N("lower", "0"))},
	{{".cxl", cxl, 0}, ATTRS(N("n", "1"), T("what", "cache"))},
	{{".phy", phy, 0}, ATTRS(N("n", "1"), N("lane", "0"))},
	{{".trace", trace, 0},
	 ATTRS(T("id", "t"), T("records", ""), T("runs", "no"), T("pmu", "hisi_ptt0_0"), N("config", "0x101280001"),
	       OF(TEXT, "lost", NULL))},
	{{".deliver", deliver, 0}, ATTRS(T("records", ""), N("flags", "0"))},
	{{".counter", counter, 0},
	 ATTRS(T("id", "c"), T("pmu", "cxl_pmu_mem0.0"), N("config", "0x1e98001000000002"), N("config1", "0"),
	       N("config2", "0"), N("value", "0"), N("windows", "1"), N("slack", "0"), OF(YES_NO, "runs", "no"),
	       OF(NUMBER, "documented", NULL), OF(NUMBER, "documented1", NULL), OF(NUMBER, "documented2", NULL))},
	{{".measure", measure, 0}, ATTRS(T("id", "m"), OF(DECIMAL, "value", NULL))},
	{{".golden", golden, 0}, ATTRS(T("mode", "check"), T("case", NULL))},
	{{".machine", machine, 0},
	 ATTRS(T("rp0", "128/512"), T("nic0", "128/512"), T("empty", "no"), T("extra", "no"))},
	{{".reg", reg, 0},
	 ATTRS(T("device", "nic0"), OF(INTEGER, "bar", "-1"), N("offset", "0"), N("bytes", "4"), N("value", "0"),
	       N("grows", "0"))},
	{{".file", file, 0}, ATTRS(T("pmu", ""), T("path", NULL), T("text", NULL), OF(ERRNO, "error", "0"))},
	{{".express", express, 0},
	 ATTRS(T("device", "nic0"), N("type", "0"), N("devctl", "0x2000"), N("lnksta", "0x43"), N("lnkcap", "0x84"))},
	{{".cpmu", cpmu, 0},
	 ATTRS(N("cap", "0x1000"), N("events", "0x6"), N("cfg", "2"), T("vid", "0x1e98"), T("mask", "0x2"),
	       OF(YES_NO, "lacks", "no"), T("format", ""))},
	{{".ptt", ptt, 0},
	 ATTRS(N("location", "0"), N("range", "0x00800080"), N("ctrl", "0x30004"), N("data", "1"), T("port", "0x80001"),
	       T("requester", "0x00100"), T("tune", "1"))},
	{{".driver", driver, 0},
	 ATTRS(OF(ERRNO, "error", "0"), OF(YES_NO, "gone", "no"), T("why", ""), T("pmus", ""), T("log", ""),
	       N("mps", "128"), N("mrrs", "512"), N("count", "0"), N("during", "0"), N("perf", NULL),
	       OF(DECIMAL, "tick-hz", "0"))},
	{{".program", program, 0},
	 ATTRS(T("says", ""), N("exits", "0"), OF(YES_NO, "none", "no"), OF(YES_NO, "complains", "no"),
	       OF(YES_NO, "cut", "no"))},
	{{".clock", set_clock, 0}, ATTRS(N("ms", "0"))},
	{{".command", command, 0}, ATTRS(N("moves", "0"), OF(DECIMAL, "tolerance", "0"), OF(YES_NO, "none", "no"))},
	{{".perf-data", perf_data, 0},
	 ATTRS(T("records", ""), N("config", "0x101280001"), N("flags", "0"), N("then", "0"), N("cut", "0"))},
	{{".break-rule", break_rule, 0}, ATTRS(N("times", "1"))},
	{{".driver-reads", driver_reads, 0}, ATTRS(N("n", "1"))},
	{{".stray-dma", stray_dma, 0}, ATTRS(N("writes", "1"))},
	{{".held", held, 0}, {0}},
	{{".full-disk", full_disk, 0}, {0}},
	{{".read-only", read_only, 0}, {0}},
	{{".end", end, 0}, {0}},
	{{NULL}},
};
