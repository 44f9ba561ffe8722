/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PTT traces, their readers, and tune values. */
#include <string.h>

#include "drivers/regs/ptt.h"
#include "framework/explore/explore_internal.h"

#define PTT	(1u << PV_EXPLORE_PTT)
#define PTT_ABI (PTT | 1u << PV_EXPLORE_ABI)

/* ---- the event ---- */

static bool is_function(const struct pv_topo_node *node)
{
	return pv_node_is_sender(node) || pv_node_is_mem(node);
}

static bool is_root_port(const struct pv_topo_node *node)
{
	return pv_node_is_port(node) && node->parent < 0;
}

/* A filter as a number, which may name ports and functions that are not there. */
static unsigned draw_number(struct pv_drawing *g, const struct pv_topo_node *near)
{
	switch (pv_draw_below(&g->d, 4)) {
	case 0:
		return (unsigned)pv_random_next(g->d.s) & 0xfffff;
	case 1:
		return 0x80000;
	case 2:
		return near ? (near->bdf + pv_draw_below(&g->d, 4)) & 0xffff : 0x100;
	default:
		return 0x80000 | pv_draw_range(&g->d, 1, 15);
	}
}

/* Filters of functions of another core are refused. */
static bool is_of_core(const struct pv_drawing *g, const struct pv_topo_node *node, const void *ptt)
{
	const struct pv_topo_node *p = ptt;
	pv_bdf root = pv_draw_root_of(g, node)->bdf;

	return !p || (root >= p->range_lower && root <= p->range_upper);
}

static void draw_filter(struct pv_drawing *g, json_object *x, const struct pv_topo_node *ptt)
{
	const struct pv_topo_node *port = pv_draw_preferred(g, is_root_port, is_of_core, ptt);
	const struct pv_topo_node *other = pv_draw_preferred(g, is_root_port, is_of_core, ptt);
	const struct pv_topo_node *node = pv_draw_preferred(g, is_function, is_of_core, ptt);

	if (pv_draw_chance(&g->d, 12) || !port)
		pv_element_set(x, "filter", "0x%x", draw_number(g, node));
	else if (node && pv_draw_chance(&g->d, 35))
		pv_element_set(x, "filter", "%s", node->name);
	else if (port != other && pv_draw_chance(&g->d, 30))
		pv_element_set(x, "filter", "%s %s", port->name, other->name);
	else
		pv_element_set(x, "filter", "%s", port->name);
}

static void draw_words(struct pv_drawing *g, json_object *x)
{
	static const unsigned types[] = {1, 2, 4, 3, 5, 6, 7, 7};
	unsigned format = pv_draw_below(&g->d, 2), direction = pv_draw_range(&g->d, format, 3);
	bool outbound = format ? direction == 1 : direction;
	unsigned type = pv_draw_word(&g->d, types), *const fields[] = {&type, &direction, &format};

	/* Outbound, one type at a time. */
	if (outbound && pv_draw_chance(&g->d, 90))
		type = 1u << pv_draw_below(&g->d, 3);
	if (pv_draw_chance(&g->d, 6))
		*pv_draw_word(&g->d, fields) = pv_draw_below(&g->d, 16);
	pv_element_set(x, "type", "%u", type);
	pv_element_set(x, "direction", "%u", direction);
	pv_element_set(x, "format", "%u", format);
}

/* Under a kernel, buffers have 4 MiB, and a case that chooses both sizes is skipped. */
static void draw_areas(struct pv_drawing *g, json_object *x)
{
	static const char *const aux[] = {"16KiB", "32KiB", "64KiB", "1MiB", "8KiB"};
	static const char *const of_linux[] = {"16MiB", "32MiB", "8MiB"};

	if (g->model && pv_draw_chance(&g->d, 98))
		pv_element_set(x, "buffer", "4KiB");
	if (pv_draw_chance(&g->d, g->model ? 40 : 20))
		pv_element_set(x, "aux", "%s", g->model ? pv_draw_word(&g->d, aux) : pv_draw_word(&g->d, of_linux));
	if (pv_draw_chance(&g->d, 20))
		pv_element_set(x, "reader", "steps");
}

static void twist(struct pv_drawing *g, json_object *x)
{
	static const char *const flags[] = {"per-task", "sampling", "snapshot"}, *const excludes[] = {"user", "kernel",
												      "hv"};

	if (pv_draw_chance(&g->d, 20))
		pv_element_set(x, "exclude", "%s", pv_draw_word(&g->d, excludes));
	else if (pv_draw_chance(&g->d, 60))
		pv_element_set(x, pv_draw_word(&g->d, flags), "yes");
	else
		pv_element_set(x, "cpu", "%u", pv_draw_below(&g->d, 5));
}

/* A PTT has one trace at a time. */
static bool is_taken(const struct pv_drawing *g, const char *pmu)
{
	for (const struct pv_session_trace *t = g->s->traces; t; t = t->next)
		if (t->event && !strcmp(t->pmu, pmu))
			return true;
	return false;
}

static bool draw_trace(struct pv_drawing *g, const char *kind)
{
	const char *pmu = pv_draw_pmu(g, "hisi_ptt");

	if (!pmu || (is_taken(g, pmu) && pv_draw_chance(&g->d, 85)))
		return false;
	json_object *x = pv_draw_step(g, kind);
	pv_element_set(x, "id", "t%u", g->names++);
	pv_element_set(x, "pmu", "%s", pmu);
	draw_filter(g, x, pv_topology_ptt(g->s->t->topology, pmu));
	draw_words(g, x);
	draw_areas(g, x);
	if (pv_draw_chance(&g->d, pv_drawing_of(g, PV_EXPLORE_ABI) ? 15 : 6))
		twist(g, x);
	return true;
}

static bool draw_open(struct pv_drawing *g)
{
	return draw_trace(g, "trace-open");
}

/* Whether a device may refuse to start a trace. */
static bool has_trace_fault(const struct pv_drawing *g)
{
	for (size_t i = 0; i < json_object_array_length(g->steps); i++) {
		json_object *x = json_object_array_get_idx(g->steps, i);

		if (!strcmp(pv_element_kind(x), "fault") && strcmp(pv_element_get(x, "kind"), "tune-busy") != 0)
			return true;
	}
	return false;
}

/* With a fault, a trace is opened and enabled in two steps under a kernel: see pv_draw_failed_start(). */
static bool draw_start(struct pv_drawing *g)
{
	return draw_trace(g, !g->model && has_trace_fault(g) ? "trace-open" : "trace-start");
}

void pv_draw_failed_start(struct pv_drawing *g)
{
	size_t n = json_object_array_length(g->steps);
	json_object *x = n ? json_object_array_get_idx(g->steps, n - 1) : NULL;
	const char *expect = x && !strcmp(pv_element_kind(x), "trace-enable") ? pv_element_get(x, "expect") : NULL;

	if (!g->model && expect && strcmp(expect, "ENODEV") != 0)
		json_object_object_del(json_object_object_get(x, "attrs"), "expect");
}

/* ---- start, read, stop ---- */

static const struct pv_session_trace *draw_open_trace(struct pv_drawing *g)
{
	const struct pv_session_trace *found = NULL;
	unsigned n = 0;

	for (const struct pv_session_trace *t = g->s->traces; t; t = t->next)
		if (t->event && !pv_draw_below(&g->d, ++n))
			found = t;
	return found;
}

static const struct pv_session_trace *do_step(struct pv_drawing *g, const char *kind)
{
	const struct pv_session_trace *t = draw_open_trace(g);

	if (t)
		pv_element_set(pv_draw_step(g, kind), "id", "%s", t->id);
	return t;
}

static bool draw_enable(struct pv_drawing *g)
{
	return do_step(g, "trace-enable");
}

/* A start that the device refuses. */
static bool draw_refused_start(struct pv_drawing *g)
{
	static const char *const faults[] = {"trace-busy", "reset-stuck"};
	const struct pv_topo_node *ptt = pv_draw_node(g, pv_node_is_ptt);

	if (!ptt || draw_open_trace(g))
		return false;
	json_object *x = pv_draw_step(g, "fault");
	pv_element_set(x, "kind", "%s", pv_draw_word(&g->d, faults));
	pv_element_set(x, "device", "%s", ptt->name);
	pv_element_set(x, "value", "1");
	draw_open(g);
	pv_element_set(pv_draw_step(g, "trace-enable"), "id", "t%u", g->names - 1);
	return true;
}

/* Under a kernel, data that is read after the next start is taken for data of the next window. */
static bool draw_disable(struct pv_drawing *g)
{
	const struct pv_session_trace *t = do_step(g, "trace-disable");

	if (t && t->area != SIZE_MAX && !g->model)
		pv_element_set(pv_draw_step(g, "trace-read"), "id", "%s", t->id);
	return t;
}

static bool draw_read(struct pv_drawing *g)
{
	return do_step(g, "trace-read");
}

static bool draw_stop(struct pv_drawing *g)
{
	return do_step(g, "trace-stop");
}

static bool draw_close(struct pv_drawing *g)
{
	return do_step(g, "trace-close");
}

/* read(2) of the event of a trace, which counts nothing. */
static bool draw_count(struct pv_drawing *g)
{
	return do_step(g, "check-trace-count");
}

/* ---- long traces ---- */

static json_object *send(struct pv_drawing *g, const char *from, const char *to, const char *kind, unsigned count)
{
	json_object *x = pv_draw_step(g, "traffic");

	pv_element_set(x, "from", "%s", from);
	pv_element_set(x, "to", "%s", to);
	pv_element_set(x, "kind", "%s", kind);
	pv_element_set(x, "size", "64");
	pv_element_set(x, "count", "%u", count);
	return x;
}

enum { LINUX_BUFFER = 4 << 20 };

/* As many records as fill half a buffer of Linux, or all four of them and the first one again; mostly the latter. */
static unsigned draw_long_count(struct pv_drawing *g, bool format_8dw)
{
	unsigned tenths = pv_draw_chance(&g->d, 50) ? pv_draw_range(&g->d, 5, 40) : pv_draw_range(&g->d, 41, 44);

	return LINUX_BUFFER / (format_8dw ? PTT_RECORD_8DW_BYTES : PTT_RECORD_4DW_BYTES) / 10 * tenths;
}

/* A trace that fills buffers of Linux, once in a case: it takes as long as the others together. */
static bool draw_long(struct pv_drawing *g)
{
	const struct pv_topo_node *nic = pv_draw_node(g, pv_node_is_sender);
	const struct pv_topo_node *port = nic && nic->parent >= 0 ? &g->s->t->topology->nodes[nic->parent] : NULL;
	const char *pmu = pv_draw_pmu(g, "hisi_ptt");
	bool format_8dw = pv_draw_chance(&g->d, 80);

	if (g->model || g->had_long || has_trace_fault(g) || !pmu || !port ||
	    !is_of_core(g, nic, pv_topology_ptt(g->s->t->topology, pmu)) || draw_open_trace(g))
		return false;
	json_object *x = pv_draw_step(g, "trace-start");
	g->had_long = true;
	pv_element_set(x, "id", "t%u", g->names);
	pv_element_set(x, "pmu", "%s", pmu);
	pv_element_set(x, "filter", "%s", pv_draw_root_of(g, nic)->name);
	pv_element_set(x, "type", "1");
	pv_element_set(x, "direction", "%u", format_8dw ? 2 : 0);
	pv_element_set(x, "format", "%u", format_8dw);
	pv_element_set(x, "aux", "32MiB");
	pv_element_set(send(g, nic->name, "memory", "mwr64", draw_long_count(g, format_8dw)), "rate", "400M");
	pv_element_set(pv_draw_step(g, "trace-stop"), "id", "t%u", g->names++);
	return true;
}

/* ---- tune ---- */

static const char *const tunes[] = {"qos_tx_cpl", "qos_tx_np", "qos_tx_p", "rx_alloc_buf_level", "tx_alloc_buf_level"};

static void read_tune(struct pv_drawing *g, const char *pmu, const char *tune)
{
	json_object *x = pv_draw_step(g, "tune-read");

	pv_element_set(x, "pmu", "%s", pmu);
	pv_element_set(x, "event", "%s", tune);
	pv_element_set(x, "equals", "0");
}

/* Linux polls a busy device for a second, which takes a guest up to half a minute: one such step is enough. */
static bool is_tune_slow(const struct pv_drawing *g)
{
	return !g->model && pv_draw_had_step(g, NULL, "expect", "ETIMEDOUT");
}

static bool draw_tune_write(struct pv_drawing *g)
{
	static const char *const odd[] = {"3", "65535", "-1", "x", "", " 1", "1x", "+2", "65536", "0x1"};
	const char *pmu = pv_draw_pmu(g, "hisi_ptt");

	if (!pmu || is_tune_slow(g))
		return false;
	json_object *x = pv_draw_step(g, "tune-write");
	pv_element_set(x, "pmu", "%s", pmu);
	pv_element_set(x, "event", "%s", pv_draw_word(&g->d, tunes));
	if (pv_draw_chance(&g->d, 25))
		pv_element_set(x, "value", "%s", pv_draw_word(&g->d, odd));
	else
		pv_element_set(x, "value", "%u", pv_draw_below(&g->d, 3));
	if (pv_draw_chance(&g->d, 50))
		read_tune(g, pmu, pv_element_get(x, "event"));
	return true;
}

static bool draw_tune_read(struct pv_drawing *g)
{
	const char *pmu = pv_draw_pmu(g, "hisi_ptt");

	if (!pmu || is_tune_slow(g))
		return false;
	read_tune(g, pmu, pv_draw_word(&g->d, tunes));
	return true;
}

/* ---- effects of tune values ---- */

static void measure(struct pv_drawing *g, const char *what, const char *class, const char *port, const char *dir)
{
	json_object *x = pv_draw_step(g, "measure");

	pv_element_set(x, "id", "m%u", g->names);
	pv_element_set(x, "what", "%s", what);
	pv_element_set(x, "port", "%s", port);
	pv_element_set(x, "dir", "%s", dir);
	pv_element_set(x, "class", "%s", class);
	pv_element_set(x, "since", "k%u", g->names);
	x = pv_draw_step(g, "check-measure");
	pv_element_set(x, "id", "m%u", g->names++);
	pv_element_set(x, "min", "0");
	pv_element_set(x, "max", "0");
}

/* Three classes wait at one Tx path for longer than is measured. */
static void draw_contention(struct pv_drawing *g, const char *port, const char *nic)
{
	static const char *const classes[] = {"p", "np", "cpl"};

	pv_element_set(send(g, "cpu", nic, "mwr64", 2000), "background", "yes");
	pv_element_set(send(g, "cpu", nic, "mrd64", 2000), "background", "yes");
	pv_element_set(send(g, nic, "memory", "mrd64", 2000), "background", "yes");
	pv_element_set(pv_draw_step(g, "wait"), "us", "3");
	pv_element_set(pv_draw_step(g, "mark"), "id", "k%u", g->names);
	pv_element_set(pv_draw_step(g, "wait"), "us", "10");
	measure(g, "share", pv_draw_word(&g->d, classes), port, "out");
	pv_draw_step(g, "drain");
}

static void draw_bursts(struct pv_drawing *g, const char *port, const char *nic)
{
	bool in = pv_draw_chance(&g->d, 50);

	pv_element_set(pv_draw_step(g, "mark"), "id", "k%u", g->names);
	send(g, in ? nic : "cpu", in ? "memory" : nic, "mwr64", 1500);
	measure(g, pv_draw_chance(&g->d, 50) ? "burst" : "bandwidth", "p", port, in ? "in" : "out");
}

/* Effects of a level on the wire: on the models alone, whose amounts are not those of any hardware. */
static bool draw_tuned(struct pv_drawing *g)
{
	const struct pv_topo_node *nic = g->model ? pv_draw_node(g, pv_node_is_sender) : NULL;
	const struct pv_topo_node *port = nic && nic->parent >= 0 ? &g->s->t->topology->nodes[nic->parent] : NULL;

	if (!port || port->parent >= 0 || !draw_tune_write(g))
		return false;
	if (pv_draw_chance(&g->d, 60))
		draw_contention(g, port->name, nic->name);
	else
		draw_bursts(g, port->name, nic->name);
	return true;
}

const struct pv_action pv_actions_trace[] = {
	{PTT_ABI, 4, draw_open, PV_NEED_OPEN},
	{PTT_ABI, 6, draw_start, PV_NEED_OPEN},
	{PTT_ABI, 5, draw_enable, PV_NEED_START},
	{PTT, 4, draw_disable},
	{PTT, 3, draw_read},
	{PTT, 2, draw_count},
	{PTT, 1, draw_long, PV_NEED_OPEN},
	{PTT, 1, draw_refused_start},
	{PTT_ABI, 5, draw_stop},
	{PTT_ABI, 2, draw_close},
	{PTT_ABI, 4, draw_tune_write},
	{PTT_ABI, 3, draw_tune_read},
	{PTT, 2, draw_tuned},
	{0},
};
