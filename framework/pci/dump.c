/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checking a dump: places are of possible functions, offsets ascend without a gap, and each function has as many bytes
 * as some kind of configuration space. Lines that are neither (what -v prints, prompts of a shell) are passed over.
 */
#include "framework/pci/dump.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "framework/util/hint.h"

enum { LINE_BYTES = 16, SPACE_MAX = 4096, TEXT_MAX = 120 };

struct text {
	const char *at, *end;
};

struct copy {
	const char *name;
	FILE *out;
	unsigned line, functions, with_bytes;
	char place[24];	   /* of the function being read; "": none */
	struct text quote; /* what stands before each line of it: "> " of a mail, blanks of a code block */
	unsigned offset;   /* bytes of it so far */
	struct pv_error *e;
};

static int hex_digit(char c)
{
	return isxdigit((unsigned char)c) ? (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10) : -1;
}

/* Reads a hexadecimal number of `min` to `max` digits. False: it is none, or a longer one. */
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

struct place {
	unsigned domain, bus, device, function;
};

/* [DOMAIN:]BUS:DEVICE.FUNCTION and a space, as lspci and libpci write it. */
static bool take_place(struct text t, struct place *p)
{
	const char *start = t.at;
	bool domain = take_hex(&t, 4, 5, &p->domain) && take_char(&t, ':');

	if (!domain) {
		t.at = start;
		p->domain = 0;
	}
	return take_hex(&t, 2, 2, &p->bus) && take_char(&t, ':') && take_hex(&t, 2, 2, &p->device) &&
	       take_char(&t, '.') && take_hex(&t, 1, 1, &p->function) && (t.at == t.end || take_char(&t, ' '));
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

/* Sizes of a complete dump: none, the header (64; CardBus: 128), all of PCI (256), all of PCI Express (4096). */
static bool is_whole(unsigned bytes)
{
	return bytes == 0 || bytes == 64 || bytes == 128 || bytes == 256 || bytes == SPACE_MAX;
}

static int end_function(struct copy *c)
{
	if (!*c->place || is_whole(c->offset))
		return 0;
	return pv_error(c->e, -EBADMSG,
			"%s:%u: %s is truncated: expected 64, 128, 256 or 4096 bytes of configuration space, got %u",
			c->name, c->line, c->place, c->offset);
}

static int begin_function(struct copy *c, const struct place *p, struct text line)
{
	int err = end_function(c);

	if (err)
		return err;
	if (p->device > 31 || p->function > 7)
		return broken_line(c, "expected a device up to 1f and a function up to 7", line);
	snprintf(c->place, sizeof(c->place), "%04x:%02x:%02x.%x", p->domain, p->bus, p->device, p->function);
	c->offset = 0;
	c->functions++;
	fprintf(c->out, "\n%s -\n", c->place);
	return 0;
}

/* "40: 10 00 ...": sixteen bytes of the function, the next ones. */
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

	fprintf(c->out, "%02x:", offset);
	for (int i = 0; i < LINE_BYTES; i++)
		fprintf(c->out, " %02x", value[i]);
	fputc('\n', c->out);
	c->with_bytes += !offset;
	c->offset += LINE_BYTES;
	return 0;
}

/* "Cc:" and "100:" of /proc/interrupts look like an offset: one is a multiple of 16, and bytes follow. */
static bool take_offset(struct text *t, unsigned *offset)
{
	unsigned byte;

	if (!take_hex(t, 2, 8, offset) || !take_char(t, ':') || *offset % LINE_BYTES)
		return false;
	struct text bytes = *t;
	return take_char(&bytes, ' ') && take_hex(&bytes, 2, 2, &byte) && (bytes.at == bytes.end || *bytes.at == ' ');
}

/* A function is quoted as its heading is: the lines that follow it begin as it does. */
static bool is_heading(struct copy *c, struct text *line, struct place *p)
{
	struct text t = *line;

	while (t.at < t.end && strchr("> \t", *t.at))
		t.at++;
	if (!take_place(t, p))
		return false;
	c->quote = (struct text){line->at, t.at};
	*line = t;
	return true;
}

static struct text without_quote(const struct copy *c, struct text line)
{
	size_t n = (size_t)(c->quote.end - c->quote.at);

	if (n && (size_t)(line.end - line.at) >= n && !memcmp(line.at, c->quote.at, n))
		line.at += n;
	return line;
}

static int copy_line(struct copy *c, struct text line)
{
	struct place place;
	unsigned offset;

	if (is_heading(c, &line, &place))
		return begin_function(c, &place, line);
	line = without_quote(c, line);
	struct text t = line;
	return take_offset(&t, &offset) ? copy_bytes(c, offset, t, line) : 0;
}

static int judge_all(struct copy *c)
{
	int err = end_function(c);

	if (err)
		return err;
	if (!c->functions)
		return pv_error(c->e, -EBADMSG, "%s: no dump of PCI functions: expected what 'lspci -xxxx' prints",
				c->name);
	if (!c->with_bytes)
		return pv_error(c->e, -EBADMSG,
				"%s: functions without their configuration space; take it as root: lspci -xxxx",
				c->name);
	return ferror(c->out) ? pv_error(c->e, -ENOMEM, "%s: no memory", c->name) : 0;
}

/* Names the compression or archive format of a file by its magic; NULL: none of these. */
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

int pv_pci_dump_copy(const char *name, const char *text, size_t n, FILE *out, struct pv_error *e)
{
	static const char byte_order_mark[] = "\xef\xbb\xbf";
	struct copy c = {.name = name, .out = out, .e = e};
	const char *packed = packed_as(text, n), *at = text, *end = text + n, *eol;
	int err;

	if (packed)
		return pv_error(e, -EBADMSG, "%s: a file packed with %s: expected the text that it holds", name,
				packed);
	if (n >= 3 && !memcmp(text, byte_order_mark, 3))
		at += 3;

	for (; at < end; at = eol + 1) {
		struct text line;

		eol = memchr(at, '\n', (size_t)(end - at));
		eol = eol ? eol : end;
		line = (struct text){at, eol > at && eol[-1] == '\r' ? eol - 1 : eol};
		c.line++;
		err = copy_line(&c, line);
		if (err)
			return err;
	}
	return judge_all(&c);
}
