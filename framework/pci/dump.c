/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks a dump: BDFs are valid, offsets ascend without a gap, and each function has as many bytes as some kind of
 * configuration space. Other lines of a function are its text (lspci_text.c). Bytes take precedence over text.
 */
#include "framework/pci/dump.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/core/pcie.h"
#include "framework/pci/dump_internal.h"
#include "framework/pci/lspci_internal.h"
#include "framework/pci/mail.h"
#include "framework/util/cleanup.h"
#include "framework/util/hint.h"

enum { LINE_BYTES = 16, SPACE_MAX = 4096, TEXT_MAX = 120 };

struct text {
	const char *at, *end;
};

/* The text of one function. */
struct said {
	struct pv_lspci func;
	bool has_bytes; /* the copy has its bytes, more than a header */
};

struct copy {
	const char *name;
	FILE *out;
	unsigned line, functions, with_bytes, with_text;
	char place[24];	   /* BDF of the current function; "": none */
	struct text quote; /* prefix of each of its lines: "> " of a mail, blanks of a code block */
	unsigned offset;   /* number of its bytes so far */
	uint8_t space[SPACE_MAX];
	bool ends_in_line; /* the input has no newline at its end */
	struct pv_lspci_reader text;
	struct said *said;
	size_t n_said, room;
	struct pv_error *e;
};

static int hex_digit(char c)
{
	return isxdigit((unsigned char)c) ? (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10) : -1;
}

/* Parses a hexadecimal number of `min` to `max` digits. False: there is none, or a longer one. */
static bool take_hex(struct text *t, unsigned min, unsigned max, unsigned *value)
{
	unsigned digits = 0;

	*value = 0;
	while (t->at < t->end && hex_digit(*t->at) >= 0 && digits <= max) {
		*value = *value << 4 | (unsigned)hex_digit(*t->at++);
		digits++;
	}
	return digits >= min && digits <= max;
}

static bool take_char(struct text *t, char c)
{
	if (t->at == t->end || *t->at != c)
		return false;
	t->at++;
	return true;
}

/* Parses [DOMAIN:]BUS:DEVICE.FUNCTION and a space, as lspci and libpci write it. */
static bool take_place(struct text *t, struct pv_dump_place *p)
{
	const char *start = t->at;
	bool domain = take_hex(t, 4, 5, &p->domain) && take_char(t, ':');

	if (!domain) {
		t->at = start;
		p->domain = 0;
	}
	return take_hex(t, 2, 2, &p->bus) && take_char(t, ':') && take_hex(t, 2, 2, &p->device) && take_char(t, '.') &&
	       take_hex(t, 1, 1, &p->function) && (t->at == t->end || take_char(t, ' '));
}

static int broken(struct copy *c, const char *what, const char *got)
{
	return pv_error(c->e, -EBADMSG, "%s:%u: %s, got '%s'", c->name, c->line, what, PV_SHOW(got));
}

static int broken_line(struct copy *c, const char *what, struct text t)
{
	char got[TEXT_MAX];

	snprintf(got, sizeof(got), "%.*s", (int)(t.end - t.at < TEXT_MAX ? t.end - t.at : TEXT_MAX - 1), t.at);
	return broken(c, what, got);
}

/*
 * Returns true for the size of a complete dump: none, the header (64; CardBus: 128), all of PCI (256), all of PCI
 * Express (4096).
 */
static bool is_whole(unsigned bytes)
{
	return bytes == 0 || bytes == 64 || bytes == 128 || bytes == 256 || bytes == SPACE_MAX;
}

static void print_function(FILE *out, const char *place, const uint8_t *space, unsigned bytes)
{
	static const char digits[] = "0123456789abcdef";
	char line[3 * LINE_BYTES + 1];

	fprintf(out, "\n%s -\n", place);
	for (unsigned off = 0; off < bytes; off += LINE_BYTES) {
		for (unsigned i = 0; i < LINE_BYTES; i++) {
			line[3 * i] = ' ';
			line[3 * i + 1] = digits[space[off + i] >> 4];
			line[3 * i + 2] = digits[space[off + i] & 0xf];
		}
		line[3 * LINE_BYTES] = '\n';
		fprintf(out, "%02x:", off);
		fwrite(line, 1, sizeof(line), out);
	}
}

static int keep(struct copy *c, bool has_bytes)
{
	if (c->n_said == c->room) {
		size_t room = 2 * c->room + 16;
		struct said *more = realloc(c->said, room * sizeof(*more));

		if (!more)
			return pv_error(c->e, -ENOMEM, "%s: no memory", c->name);
		c->said = more;
		c->room = room;
	}
	c->said[c->n_said++] = (struct said){c->text.func, has_bytes};
	return 0;
}

/* Returns true if the function has only the first bytes (-x), but text with more registers: then both are used. */
static bool is_header_of_text(const struct copy *c)
{
	return c->offset < 256 && c->text.func.caps;
}

static uint32_t read_copy(void *ctx, pv_bdf bdf, uint32_t off, unsigned bytes)
{
	const struct copy *c = ctx;
	uint32_t value = 0;

	(void)bdf;
	for (unsigned i = 0; i < bytes && off + i < c->offset; i++)
		value |= (uint32_t)c->space[off + i] << 8 * i;
	return value;
}

/* Returns the offset of the PCI Express capability in the bytes of the current function, 0: none. */
static unsigned find_express(struct copy *c)
{
	const struct pv_cfg cfg = {.ctx = c, .read = read_copy};
	uint32_t at = pv_pcie_find_cap(&cfg, PCI_CAP_ID_EXP);

	return at + PCI_EXP_LNKCAP <= 256 ? at : 0;
}

static int end_function(struct copy *c)
{
	if (!*c->place)
		return 0;
	if (!is_whole(c->offset))
		return pv_error(
			c->e, -EBADMSG,
			"%s:%u: %s is truncated: expected 64, 128, 256 or 4096 bytes of configuration space, got %u",
			c->name, c->line, c->place, c->offset);
	pv_lspci_end(&c->text);
	c->with_text += c->text.func.has_details;
	if (!is_header_of_text(c)) {
		print_function(c->out, c->place, c->space, c->offset);
		if (c->offset >= 64)
			pv_lspci_take_bytes(&c->text.func, c->space, find_express(c));
		return keep(c, c->offset > 0);
	}
	c->text.func.header_bytes = c->offset;
	memcpy(c->text.func.header, c->space, c->offset);
	print_function(c->out, c->place, NULL, 0);
	return keep(c, false);
}

static int begin_function(struct copy *c, const struct pv_dump_place *p, struct text line, struct text rest)
{
	int err;

	/* Another heading follows, so the function is complete. */
	c->text.func.whole = true;
	err = end_function(c);
	if (err)
		return err;
	if (p->device > 31 || p->function > 7)
		return broken_line(c, "expected a device up to 1f and a function up to 7", line);
	if (++c->functions > PV_PCI_DUMP_FUNCTIONS_MAX)
		return broken_line(c, "more functions than any machine has", line);
	snprintf(c->place, sizeof(c->place), "%04x:%02x:%02x.%x", p->domain, p->bus, p->device, p->function);
	c->offset = 0;
	pv_lspci_begin(&c->text,
		       (struct pv_pci_place){p->domain, (uint8_t)p->bus, (uint8_t)p->device, (uint8_t)p->function},
		       rest.at, (size_t)(rest.end - rest.at));
	return 0;
}

/* Copies "40: 10 00 ...": the next sixteen bytes of the function. */
static int copy_bytes(struct copy *c, unsigned offset, struct text t, struct text line)
{
	unsigned value[LINE_BYTES];

	if (!*c->place)
		return broken_line(c, "expected the line of a function before its bytes", line);
	if (offset != c->offset || offset >= SPACE_MAX)
		return broken_line(c, "expected the next offset of configuration space", line);
	for (int i = 0; i < LINE_BYTES; i++)
		if (!take_char(&t, ' ') || !take_hex(&t, 2, 2, &value[i]))
			return broken_line(c, "expected sixteen bytes", line);
	while (take_char(&t, ' '))
		;
	if (t.at != t.end)
		return broken_line(c, "expected sixteen bytes and no more", line);

	for (int i = 0; i < LINE_BYTES; i++)
		c->space[offset + (unsigned)i] = (uint8_t)value[i];
	c->with_bytes += !offset;
	c->offset += LINE_BYTES;
	return 0;
}

/*
 * Parses an offset. "Cc:" and "100:" of /proc/interrupts look similar, so it must be a multiple of 16, and bytes must
 * follow.
 */
static bool take_offset(struct text *t, unsigned *offset)
{
	unsigned byte;

	if (!take_hex(t, 2, 8, offset) || !take_char(t, ':') || *offset % LINE_BYTES)
		return false;
	struct text bytes = *t;
	return take_char(&bytes, ' ') && take_hex(&bytes, 2, 2, &byte) && (bytes.at == bytes.end || *bytes.at == ' ');
}

bool pv_dump_heading(const char *line, size_t n, struct pv_dump_place *place, size_t *quote, size_t *rest)
{
	struct text t = {line, line + n};

	while (t.at < t.end && strchr("> \t", *t.at))
		t.at++;
	*quote = (size_t)(t.at - line);
	if (!take_place(&t, place))
		return false;
	*rest = (size_t)(t.at - line);
	return true;
}

/* Parses a heading. All lines of a function have the same quote characters as its heading. */
static bool is_heading(struct copy *c, struct text line, struct pv_dump_place *p, struct text *rest)
{
	size_t quote, after;

	if (!pv_dump_heading(line.at, (size_t)(line.end - line.at), p, &quote, &after))
		return false;
	c->quote = (struct text){line.at, line.at + quote};
	*rest = (struct text){line.at + after, line.end};
	return true;
}

static struct text without_quote(const struct copy *c, struct text line)
{
	size_t n = (size_t)(c->quote.end - c->quote.at);

	if (n && (size_t)(line.end - line.at) >= n && !memcmp(line.at, c->quote.at, n))
		line.at += n;
	return line;
}

/* "00:01.0/01:00.0 Ethernet controller": lspci -P and -PP show the ports above a function, not its BDF as others do. */
static bool is_heading_with_path(struct text line)
{
	const char *slash = memchr(line.at, '/', (size_t)(line.end - line.at));
	struct pv_dump_place place;
	size_t quote, after;

	return slash && pv_dump_heading(line.at, (size_t)(slash - line.at), &place, &quote, &after) &&
	       after == (size_t)(slash - line.at);
}

static int copy_line(struct copy *c, struct text line)
{
	struct pv_dump_place place;
	struct text rest;
	unsigned offset;

	if (is_heading(c, line, &place, &rest))
		return begin_function(c, &place, line, rest);
	if (is_heading_with_path(line))
		return broken_line(c, "expected lspci without -P, which prints the ports above a function before it",
				   line);
	line = without_quote(c, line);
	struct text t = line;
	if (take_offset(&t, &offset))
		return copy_bytes(c, offset, t, line);
	if (*c->place)
		pv_lspci_line(&c->text, line.at, (size_t)(line.end - line.at));
	return 0;
}

/* ---- text ---- */

static int compare_said(const void *left, const void *right)
{
	const struct pv_pci_place *a = &((const struct said *)left)->func.note.place;
	const struct pv_pci_place *b = &((const struct said *)right)->func.note.place;

	if (a->domain != b->domain)
		return a->domain < b->domain ? -1 : 1;
	return (a->bus << 8 | a->device << 3 | a->function) - (b->bus << 8 | b->device << 3 | b->function);
}

/* Merges the texts of one function from several listings. */
static int merge_said(struct copy *c)
{
	size_t kept = 0;

	if (c->n_said)
		qsort(c->said, c->n_said, sizeof(*c->said), compare_said);
	for (size_t i = 1; i < c->n_said; i++) {
		struct said *into = &c->said[kept], *more = &c->said[i];

		if (compare_said(into, more)) {
			c->said[++kept] = *more;
			continue;
		}
		if (!pv_lspci_merge(&into->func, &more->func))
			return pv_error(
				c->e, -EBADMSG,
				"%s: function %04x:%02x:%02x.%x is there twice, with different sizes, bus "
				"numbers or names: expected one machine at one time; 'pcieval mps diff FILE' compares "
				"two",
				c->name, more->func.note.place.domain, more->func.note.place.bus,
				more->func.note.place.device, more->func.note.place.function);
		into->has_bytes = into->has_bytes || more->has_bytes;
	}
	c->n_said = c->n_said ? kept + 1 : 0;
	return 0;
}

/* Prints the bytes of functions that have only text, and makes the notes. */
static int print_said(struct copy *c, struct pv_pci_notes *notes)
{
	int err = merge_said(c);

	notes->list = err ? NULL : calloc(c->n_said + 1, sizeof(*notes->list));
	if (!notes->list)
		return err ? err : pv_error(c->e, -ENOMEM, "%s: no memory", c->name);
	for (size_t i = 0; i < c->n_said; i++) {
		struct pv_lspci *f = &c->said[i].func;
		struct pv_pci_place p = f->note.place;
		char place[24];

		if (!c->said[i].has_bytes && f->has_details) {
			snprintf(place, sizeof(place), "%04x:%02x:%02x.%x", p.domain, p.bus, p.device & 0x1fu,
				 p.function & 7u);
			print_function(c->out, place, c->space, pv_lspci_space(f, c->space));
		}
		notes->list[notes->n++] = f->note;
	}
	return 0;
}

static int judge_all(struct copy *c, struct pv_pci_notes *notes)
{
	int err;

	c->text.func.is_last = c->ends_in_line;
	err = end_function(c);
	if (err)
		return err;
	if (!c->functions)
		return pv_error(c->e, -EBADMSG,
				"%s: no dump of PCI functions: expected what 'lspci -vv' or 'lspci -xxxx' prints",
				c->name);
	if (!c->with_bytes && !c->with_text)
		return pv_error(c->e, -EBADMSG,
				"%s: functions without their configuration space; take it as root: lspci -vv or "
				"lspci -xxxx",
				c->name);
	err = print_said(c, notes);
	return err ? err : ferror(c->out) ? pv_error(c->e, -ENOMEM, "%s: no memory", c->name) : 0;
}

/* Returns the compression or archive format of a file, from its magic number; NULL: none of these. */
static const char *packed_as(const char *text, size_t n)
{
	static const struct {
		const char *magic, *what;
	} kinds[] = {{"\x1f\x8b", "gzip"},
		     {"\xfd"
		      "7zXZ",
		      "xz"},
		     {"\x28\xb5\x2f\xfd", "zstd"},
		     {"BZh", "bzip2"},
		     {"PK\x03\x04", "zip"}};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (n >= strlen(kinds[i].magic) && !memcmp(text, kinds[i].magic, strlen(kinds[i].magic)))
			return kinds[i].what;
	return NULL;
}

static int copy_lines(struct copy *c, const char *at, const char *end)
{
	const char *eol;
	int err = 0;

	for (; !err && at < end; at = eol + 1) {
		eol = memchr(at, '\n', (size_t)(end - at));
		eol = eol ? eol : end;
		c->line++;
		err = copy_line(c, (struct text){at, eol > at && eol[-1] == '\r' ? eol - 1 : eol});
	}
	return err;
}

int pv_pci_dump_copy(const char *name, const char *text, size_t n, FILE *out, struct pv_pci_notes *notes,
		     struct pv_error *e)
{
	static const char byte_order_mark[] = "\xef\xbb\xbf";
	const char *packed = packed_as(text, n);
	_autofree_ char *decoded = NULL;
	bool is_mail = !packed && pv_mail_is(text, n);
	struct copy *c = packed ? NULL : calloc(1, sizeof(*c));
	const char *at;
	int err;

	*notes = (struct pv_pci_notes){0};
	if (packed)
		return pv_error(e, -EBADMSG, "%s: a file packed with %s: expected the text that it holds", name,
				packed);
	if (is_mail)
		decoded = pv_mail_decode(text, n, &n);
	if (!c || (is_mail && !decoded)) {
		free(c);
		return pv_error(e, -ENOMEM, "%s: no memory", name);
	}
	at = text = is_mail ? decoded : text;
	if (n >= 3 && !memcmp(at, byte_order_mark, 3))
		at += 3;
	c->name = name;
	c->out = out;
	c->e = e;
	c->ends_in_line = n && text[n - 1] != '\n';
	err = copy_lines(c, at, text + n);
	if (!err)
		err = judge_all(c, notes);
	free(c->said);
	free(c);
	return err;
}
