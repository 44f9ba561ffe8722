/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Translates event terms to config words, by the files of the driver and by the documents. */
#include "framework/agent/events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/oracle/oracle.h"
#include "framework/util/cleanup.h"

#define TERMS_MAX 32

struct term {
	char name[64];
	char value[64]; /* "" for a bare word, "?" to be given */
};

struct terms {
	struct term term[TERMS_MAX];
	unsigned n;
};

/* ---- format files ---- */

static int pack_bits(unsigned lo, unsigned hi, uint64_t *value, uint64_t *word)
{
	unsigned width = hi - lo + 1;
	uint64_t mask = width == 64 ? UINT64_MAX : (1ull << width) - 1;

	*word = (*word & ~(mask << lo)) | (*value & mask) << lo;
	*value = width == 64 ? 0 : *value >> width;
	return 0;
}

static int parse_range(const char **s, unsigned *lo, unsigned *hi)
{
	char *end;
	unsigned long a = strtoul(*s, &end, 10), b = a;

	if (end == *s)
		return -EINVAL;
	if (*end == '-') {
		const char *from = end + 1;

		b = strtoul(from, &end, 10);
		if (end == from)
			return -EINVAL;
	}
	if (a > b || b > 63)
		return -EINVAL;
	*s = end;
	*lo = (unsigned)a;
	*hi = (unsigned)b;
	return 0;
}

int pv_event_pack(const char *format, uint64_t value, struct pv_event_config *c)
{
	static const char *const words[] = {"config:", "config1:", "config2:"};

	for (unsigned w = 0; w < 3; w++) {
		size_t n = strlen(words[w]);

		if (strncmp(format, words[w], n))
			continue;
		for (const char *s = format + n;; s++) {
			unsigned lo, hi;

			if (parse_range(&s, &lo, &hi))
				return -EINVAL;
			pack_bits(lo, hi, &value, &c->word[w]);
			if (*s != ',')
				return *s || value ? -EINVAL : 0;
		}
	}
	return -EINVAL;
}

int pv_event_unpack(const char *format, const struct pv_event_config *c, uint64_t *value)
{
	*value = 0;
	/* One bit of the value after the other. */
	for (unsigned bit = 0; bit < 64; bit++) {
		struct pv_event_config one = {0};

		if (pv_event_pack(format, 1ull << bit, &one))
			return bit ? 0 : -EINVAL;
		for (unsigned w = 0; w < ARRAY_SIZE(one.word); w++)
			*value |= (uint64_t) !!(c->word[w] & one.word[w]) << bit;
	}
	return 0;
}

/* ---- terms ---- */

static int add_term(struct terms *t, const char *text, size_t n)
{
	struct term *one = &t->term[t->n];
	const char *eq = memchr(text, '=', n);
	size_t name = eq ? (size_t)(eq - text) : n;
	size_t value = eq ? n - name - 1 : 0;

	if (t->n == TERMS_MAX || !name || name >= sizeof(one->name) || value >= sizeof(one->value) || (eq && !value))
		return -EINVAL;
	snprintf(one->name, sizeof(one->name), "%.*s", (int)name, text);
	snprintf(one->value, sizeof(one->value), "%.*s", (int)value, eq ? eq + 1 : "");
	t->n++;
	return 0;
}

static int split(const char *text, struct terms *t)
{
	t->n = 0;
	for (;;) {
		size_t n = strcspn(text, ",");

		if (add_term(t, text, n))
			return -EINVAL;
		if (!text[n])
			return 0;
		text += n + 1;
	}
}

static int read_file(struct pv_target *t, const char *pmu, const char *folder, const char *name, char *buf, size_t size)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	int n = t->driver->ops->attr_read(t->driver, pmu, path, buf, size - 1);
	if (n < 0)
		return n;
	buf[(size_t)n < size - 1 ? (size_t)n : size - 1] = 0;
	buf[strcspn(buf, "\n")] = 0;
	return 0;
}

/* Names that a driver has changed since they were documented. */
static const struct {
	const char *name, *later;
} renamed[] = {
	/* dwc_pcie_pmu: Linux 7.3 has these, 6.12 those that plans use. */
	{"Tx_PCIe_TLP_Data_Payload", "tx_pcie_tlp_data_payload"},
	{"Rx_PCIe_TLP_Data_Payload", "rx_pcie_tlp_data_payload"},
	{"Tx_CCIX_TLP_Data_Payload", "tx_ccix_tlp_data_payload"},
	{"Rx_CCIX_TLP_Data_Payload", "rx_ccix_tlp_data_payload"},
	{"rx_nulified_tlp", "rx_nullified_tlp"},
	{"tx_nulified_tlp", "tx_nullified_tlp"},
	{"rx_duplicate_tl", "rx_duplicate_tlp"},
};

/* Returns the file of an event, under its later name if the first one does not exist. */
static int read_event(struct pv_target *t, const char *pmu, const char *name, char *alias, size_t size)
{
	int err = read_file(t, pmu, "events", name, alias, size);

	for (size_t i = 0; err == -ENOENT && i < ARRAY_SIZE(renamed); i++)
		if (!strcmp(renamed[i].name, name))
			return read_file(t, pmu, "events", renamed[i].later, alias, size);
	return err;
}

static const struct term *given(const struct terms *t, const char *name)
{
	for (unsigned i = 0; i < t->n; i++)
		if (!strcmp(t->term[i].name, name))
			return &t->term[i];
	return NULL;
}

/* The format file of a term; perf's own terms config, config1 and config2 (whole words) need none. */
static int read_format(struct pv_target *t, const char *pmu, const char *name, char *format, size_t size)
{
	int err = read_file(t, pmu, "format", name, format, size);

	if (err == -ENOENT && (!strcmp(name, "config") || !strcmp(name, "config1") || !strcmp(name, "config2"))) {
		snprintf(format, size, "%s:0-63", name);
		return 0;
	}
	return err;
}

/* A bare word stands for 1. */
static int read_value(const struct term *term, uint64_t *value)
{
	char *end;

	*value = 1;
	if (!term->value[0])
		return 0;
	errno = 0;
	*value = strtoull(term->value, &end, 0);
	return *end || errno || term->value[0] == '-' ? -EINVAL : 0;
}

static int apply(struct pv_target *t, const char *pmu, const struct term *term, struct pv_event_config *out,
		 struct pv_error *e)
{
	char format[128];
	uint64_t v;
	int err = read_format(t, pmu, term->name, format, sizeof(format));

	if (err == -ENODEV)
		return pv_error(e, err, "%s: no such PMU", pmu);
	if (err)
		return pv_error(e, err == -ENOENT ? -EINVAL : err, "%s: no event and no format term \"%s\" (%s)", pmu,
				term->name, pv_errno_name(err));
	if (read_value(term, &v))
		return pv_error(e, -EINVAL, "%s: term %s: expected a number, got \"%s\"", pmu, term->name, term->value);
	if (pv_event_pack(format, v, out))
		return pv_error(e, -EINVAL, "%s: term %s: value 0x%llx does not fit its format \"%s\"", pmu, term->name,
				(unsigned long long)v, format);
	return 0;
}

/* Terms of an event file; the user must give values for "?". */
static int apply_alias(struct pv_target *t, const char *pmu, const char *name, const char *alias,
		       const struct terms *all, struct pv_event_config *out, struct pv_error *e)
{
	struct terms sub;

	if (split(alias, &sub))
		return pv_error(e, -EINVAL, "%s: events/%s: expected terms, got \"%s\"", pmu, name, alias);
	for (unsigned i = 0; i < sub.n; i++) {
		if (!strcmp(sub.term[i].value, "?")) {
			if (!given(all, sub.term[i].name))
				return pv_error(e, -EINVAL, "%s: event %s: expected %s=, got none", pmu, name,
						sub.term[i].name);
			continue;
		}
		int err = apply(t, pmu, &sub.term[i], out, e);
		if (err)
			return err;
	}
	return 0;
}

int pv_event_resolve(struct pv_target *t, const char *pmu, const char *text, struct pv_event_config *out,
		     struct pv_error *e)
{
	struct terms all;
	char alias[256];

	*out = (struct pv_event_config){0};
	if (split(text, &all))
		return pv_error(e, -EINVAL, "event: expected terms \"name,term=value\", got \"%s\"", text);
	/* Events first: explicit terms override them. */
	for (unsigned pass = 0; pass < 2; pass++) {
		for (unsigned i = 0; i < all.n; i++) {
			const struct term *term = &all.term[i];
			bool is_event = !term->value[0] && !read_event(t, pmu, term->name, alias, sizeof(alias));
			int err = 0;

			if (is_event && !pass)
				err = apply_alias(t, pmu, term->name, alias, &all, out, e);
			else if (!is_event && pass)
				err = apply(t, pmu, term, out, e);
			if (err)
				return err;
		}
	}
	return 0;
}

/* ---- documented events ---- */

/* Published sources exchange these two (F-D5): neither number is wrong. */
#define DWC_TIME_L1_AUX	   0x08
#define DWC_TIME_TX_RX_L0S 0x09

/* The terms of each kind of PMU and their bits (F-C24, F-D25). */
static const struct field {
	const char *pmu, *name;
	unsigned word, lo, hi;
} fields[] = {
	{"cxl_pmu_", "mask", 0, 0, 31},
	{"cxl_pmu_", "gid", 0, 32, 47},
	{"cxl_pmu_", "vid", 0, 48, 63},
	{"cxl_pmu_", "threshold", 1, 0, 15},
	{"cxl_pmu_", "invert", 1, 16, 16},
	{"cxl_pmu_", "edge", 1, 17, 17},
	{"cxl_pmu_", "hdm_filter_en", 1, 18, 18},
	{"cxl_pmu_", "crb_filter_en", 1, 19, 19},
	{"cxl_pmu_", "hdm", 2, 0, 15},
	{"cxl_pmu_", "crb", 2, 32, 63},
	{"dwc_rootport_", "eventid", 0, 0, 15},
	{"dwc_rootport_", "type", 0, 16, 19},
	{"dwc_rootport_", "lane", 0, 20, 27},
};

/* perf's own terms, which any PMU has. */
static const struct field whole_words[] = {
	{"", "config", 0, 0, 63},
	{"", "config1", 1, 0, 63},
	{"", "config2", 2, 0, 63},
};

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static const struct field *find_field(const char *pmu, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (begins(pmu, fields[i].pmu) && !strcmp(fields[i].name, name))
			return &fields[i];
	for (size_t i = 0; i < ARRAY_SIZE(whole_words); i++)
		if (!strcmp(whole_words[i].name, name))
			return &whole_words[i];
	return NULL;
}

uint64_t pv_event_doc_term(const char *pmu, const char *name, const uint64_t config[3])
{
	const struct field *f = find_field(pmu, name);

	return f ? config[f->word] >> f->lo & UINT64_MAX >> (63 - f->hi + f->lo) : 0;
}

/* Documents the bits of a field. */
static void document(const struct field *f, uint64_t value, struct pv_event_doc *d)
{
	uint64_t all = UINT64_MAX;

	pack_bits(f->lo, f->hi, &value, &d->config.word[f->word]);
	pack_bits(f->lo, f->hi, &all, &d->mask.word[f->word]);
}

static void set_term(const char *pmu, const char *name, uint64_t value, uint64_t config[3])
{
	const struct field *f = find_field(pmu, name);

	pack_bits(f->lo, f->hi, &value, &config[f->word]);
}

static bool cpmu_config(const char *pmu, const char *name, uint64_t config[3])
{
	struct pv_cpmu_query e;

	if (pv_oracle_cpmu_event(name, &e))
		return false;
	set_term(pmu, "vid", e.vid, config);
	set_term(pmu, "gid", e.gid, config);
	set_term(pmu, "mask", e.mask, config);
	return true;
}

static bool dwc_config(const char *pmu, const char *name, uint64_t config[3])
{
	struct pv_dwc_query e;

	if (pv_oracle_dwc_event(name, &e))
		return false;
	if (!e.lane_event && (e.eventid == DWC_TIME_L1_AUX || e.eventid == DWC_TIME_TX_RX_L0S))
		return false;
	set_term(pmu, "eventid", e.eventid, config);
	set_term(pmu, "type", e.lane_event, config);
	return true;
}

/* A name stands for the numbers of an event. All other terms are 0 unless they are given. */
static void name_event(const char *pmu, const char *name, struct pv_event_doc *d)
{
	uint64_t config[3] = {0};
	bool known = begins(pmu, "cxl_pmu_")	    ? cpmu_config(pmu, name, config)
		     : begins(pmu, "dwc_rootport_") ? dwc_config(pmu, name, config)
						    : false;

	if (!known)
		return;
	snprintf(d->name, sizeof(d->name), "%s", name);
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (begins(pmu, fields[i].pmu))
			document(&fields[i], pv_event_doc_term(pmu, fields[i].name, config), d);
}

struct pv_event_doc pv_event_doc_find(const char *pmu, const char *event)
{
	struct pv_event_doc d = {0};
	struct terms all;
	uint64_t value;

	if (split(event, &all))
		return d;
	for (unsigned i = 0; i < all.n && !d.name[0]; i++)
		if (!all.term[i].value[0])
			name_event(pmu, all.term[i].name, &d);
	for (unsigned i = 0; i < all.n; i++) {
		const struct field *f = find_field(pmu, all.term[i].name);

		if (f && !read_value(&all.term[i], &value))
			document(f, value, &d);
	}
	return d;
}

struct pv_event_config pv_event_doc_apply(const struct pv_event_doc *d, const uint64_t config[3])
{
	struct pv_event_config c;

	for (size_t i = 0; i < ARRAY_SIZE(c.word); i++)
		c.word[i] = (config[i] & ~d->mask.word[i]) | d->config.word[i];
	return c;
}
