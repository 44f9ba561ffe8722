/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libpcieval: the stable interface of the trace reader, whose internals may change. */
#include "framework/library/pcieval.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/library/library_internal.h"
#include "framework/trace/format.h"

/* Numbers of kinds and directions are those of the reader. */
#define SAME(name) _Static_assert((int)PCIEVAL_##name == (int)PV_TLP_##name, "kind " #name " has another number")
SAME(UNDEFINED);
SAME(MRD32);
SAME(MRD64);
SAME(MRDLK32);
SAME(MRDLK64);
SAME(MWR32);
SAME(MWR64);
SAME(IORD);
SAME(IOWR);
SAME(CFGRD0);
SAME(CFGRD1);
SAME(CFGWR0);
SAME(CFGWR1);
SAME(MSG);
SAME(MSGD);
SAME(CPL);
SAME(CPLD);
SAME(CPLLK);
SAME(CPLDLK);
SAME(FETCHADD32);
SAME(FETCHADD64);
SAME(SWAP32);
SAME(SWAP64);
SAME(CAS32);
SAME(CAS64);
SAME(DMWR32);
SAME(DMWR64);
#undef SAME
_Static_assert((int)PV_TLP_KINDS == (int)PCIEVAL_DMWR64 + 1, "a kind is missing in pcieval.h");
_Static_assert((int)PCIEVAL_INBOUND == (int)PV_TRACE_INBOUND && (int)PCIEVAL_OUTBOUND == (int)PV_TRACE_OUTBOUND,
	       "directions have other numbers");
_Static_assert(sizeof(struct pcieval_record) == 128, "the record of libpcieval.so.0 has 128 bytes");

const char *pcieval_version(void)
{
	return PCIEVAL_VERSION;
}

const char *pcieval_kind_name(unsigned kind)
{
	return kind < PV_TLP_KINDS ? pv_tlp_kinds[kind].name : NULL;
}

/* ---- opening ---- */

void pv_library_error(struct pcieval_error *out, const struct pv_error *e)
{
	_Static_assert(sizeof(out->text) >= sizeof(e->text), "texts of errors are copied whole");
	if (!out)
		return;
	out->code = e->code;
	memcpy(out->text, e->text, sizeof(e->text));
}

static void forward_problem(void *ctx, const struct pv_trace_problem *p)
{
	const struct pcieval_trace *t = ctx;

	if (t->problem)
		t->problem(t->ctx, &(struct pcieval_problem){
					   .offset = p->offset,
					   .file_offset = p->file_offset,
					   .bytes = p->bytes,
					   .what = p->what,
					   .stream = p->stream ? (int64_t)p->stream->index : -1,
				   });
}

/* The reader of `path`, or of memory when that is NULL. */
static struct pcieval_trace *open_trace(const char *path, const void *data, size_t n, pcieval_problem_fn *problem,
					void *ctx, struct pcieval_error *error)
{
	struct pcieval_trace *t = calloc(1, sizeof(*t));
	struct pv_trace_options o = {.problem = forward_problem, .ctx = t};
	struct pv_error e = {0};

	if (t) {
		t->problem = problem;
		t->ctx = ctx;
		t->reader = path ? pv_trace_open(path, &o, &e) : pv_trace_open_memory(data, n, &o);
	}
	if (t && t->reader)
		return t;
	if (!e.code)
		pv_error(&e, -ENOMEM, "%s: no memory", path ? path : "trace");
	pv_library_error(error, &e);
	free(t);
	return NULL;
}

struct pcieval_trace *pcieval_trace_open(const char *path, pcieval_problem_fn *problem, void *ctx,
					 struct pcieval_error *error)
{
	return open_trace(path, NULL, 0, problem, ctx, error);
}

struct pcieval_trace *pcieval_trace_open_memory(const void *data, size_t n, pcieval_problem_fn *problem, void *ctx,
						struct pcieval_error *error)
{
	return open_trace(NULL, data, n, problem, ctx, error);
}

void pcieval_trace_close(struct pcieval_trace *trace)
{
	if (!trace)
		return;
	pv_trace_close(trace->reader);
	free(trace->bars);
	free(trace);
}

int pcieval_trace_where(struct pcieval_trace *trace, const char *expression, struct pcieval_error *error)
{
	struct pv_where where;
	struct pv_error e = {0};
	int err = pv_where_compile(&where, expression, &e);

	if (err)
		pv_library_error(error, &e);
	else
		trace->where = where;
	return err;
}

int pcieval_trace_time(struct pcieval_trace *trace, unsigned time)
{
	_Static_assert((int)PCIEVAL_TIME_DISTANCE == (int)PV_TRACE_TIME_DISTANCE, "kinds of time have other numbers");
	if (time > PCIEVAL_TIME_DISTANCE)
		return -EINVAL;
	pv_trace_set_time(trace->reader, (enum pv_trace_time)time);
	return 0;
}

uint64_t pcieval_trace_problems(const struct pcieval_trace *trace)
{
	return pv_trace_problems(trace->reader);
}

/* ---- reading ---- */

static uint32_t flags_of(const struct pv_record *r)
{
	return (r->tlp.th ? PCIEVAL_TH : 0u) | (r->tlp.td ? PCIEVAL_TD : 0u) | (r->tlp.ep ? PCIEVAL_EP : 0u) |
	       (r->tlp.bcm ? PCIEVAL_BCM : 0u) | (r->so ? PCIEVAL_SO : 0u) | (r->has_pasid ? PCIEVAL_PASID : 0u) |
	       (r->pasid_exe ? PCIEVAL_PASID_EXE : 0u) | (r->pasid_pmr ? PCIEVAL_PASID_PMR : 0u);
}

static void fill_record(struct pcieval_record *out, const struct pv_trace_record *r)
{
	const struct pv_tlp *tlp = &r->record.tlp;

	*out = (struct pcieval_record){
		.offset = r->record.offset,
		.file_offset = r->file_offset,
		.time = r->time,
		.address = tlp->address,
		.stream = r->stream->index,
		.prefix = r->record.prefix,
		.pasid = r->record.pasid,
		.flags = flags_of(&r->record) | (r->time_at_least ? PCIEVAL_TIME_AT_LEAST : 0u),
		.requester = tlp->requester,
		.completer = tlp->completer,
		.tag = tlp->tag,
		.length_dw = tlp->length_dw,
		.byte_count = tlp->byte_count,
		.reg = tlp->reg,
		.format = (uint8_t)(pv_record_bytes(r->record.format) / 4),
		.kind = (uint8_t)tlp->kind,
		.direction = (uint8_t)r->direction,
		.fmt = tlp->fmt,
		.type = tlp->type,
		.tc = tlp->tc,
		.attr = tlp->attr,
		.at = tlp->at,
		.first_be = tlp->first_be,
		.last_be = tlp->last_be,
		.status = tlp->status,
		.lower_address = tlp->lower_address,
		.message_code = tlp->message_code,
		.routing = tlp->routing,
		.time_is = (uint8_t)r->stream->time,
	};
	memcpy(out->dw, r->record.dw, pv_record_bytes(r->record.format));
}

int pcieval_trace_next(struct pcieval_trace *trace, struct pcieval_record *record)
{
	int more;

	trace->is_read = true;
	do
		more = pv_trace_next(trace->reader, &trace->record);
	while (more > 0 && !pv_where_match(&trace->where, &trace->record));
	if (more > 0)
		fill_record(record, &trace->record);
	else
		trace->record.stream = NULL;
	return more;
}

int pcieval_trace_line(const struct pcieval_trace *trace, const char *format, char *line, size_t size)
{
	const struct pv_format *f = pv_format_by_name(format);
	char text[PV_FORMAT_MAX];
	size_t n;

	if (!f)
		return -EINVAL;
	if (!trace->record.stream)
		return -ENODATA;
	n = (size_t)(f->record(text, &trace->record) - text) - 1; /* without its newline */
	if (size) {
		size_t fits = n < size ? n : size - 1;

		memcpy(line, text, fits);
		line[fits] = '\0';
	}
	return (int)n;
}
