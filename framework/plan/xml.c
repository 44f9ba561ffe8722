/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds the tree from libxml2's SAX2 events: a DOCTYPE ends the parse before an entity is declared, and limits apply
 * while reading, not afterwards.
 */
#include "framework/plan/xml.h"

#include <errno.h>
#include <fcntl.h>
#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <string.h>
#include <sys/stat.h>

#include "framework/util/cleanup.h"

#define TEXT_MAX_BYTES ((size_t)64 * 1024) /* maximum size of an element's text */

struct parse {
	const char *file;
	struct pv_arena *arena;
	struct pv_problems *problems;
	xmlParserCtxtPtr ctxt;
	struct pv_xml *root, *now;
	unsigned depth;
	char *text; /* of the current element */
	size_t text_len;
	bool stopped;
};

/*
 * Returns the line where a start tag begins: libxml2 reports the line of its end. As '<' cannot be inside a tag,
 * searching it backwards finds the begin.
 */
static int start_line(const struct parse *p)
{
	const xmlParserInput *in = p->ctxt->input;

	if (!in)
		return 0;
	int line = in->line;
	for (const xmlChar *c = in->cur; c > in->base && *c != '<'; c--)
		if (c[-1] == '\n')
			line--;
	return line > 0 ? line : 1;
}

static void stop(struct parse *p)
{
	p->stopped = true;
	xmlStopParser(p->ctxt);
}

static void stop_memory(struct parse *p)
{
	pv_problem_memory(p->problems);
	stop(p);
}

static const char *full_name(struct parse *p, const xmlChar *name, const xmlChar *prefix)
{
	if (!prefix)
		return pv_arena_strdup(p->arena, (const char *)name);
	return pv_arena_printf(p->arena, "%s:%s", (const char *)prefix, (const char *)name);
}

/* Without entity substitution libxml2 returns an ampersand as "&#38;". It leaves no other reference. */
static void restore_ampersands(char *value)
{
	static const char reference[] = "&#38;";
	char *to = value;

	for (const char *from = value; *from; to++) {
		bool is = !strncmp(from, reference, sizeof(reference) - 1);

		*to = *from;
		from += is ? sizeof(reference) - 1 : 1;
	}
	*to = '\0';
}

/* libxml2 passes attributes in groups of five: name, prefix, URI, begin and end of the value. */
static int take_attributes(struct parse *p, struct pv_xml *x, int n, const xmlChar **attrs)
{
	x->attrs = pv_arena_array(p->arena, (size_t)n + 1, sizeof(*x->attrs));
	if (!x->attrs)
		return -ENOMEM;
	for (int i = 0; i < n; i++, attrs += 5) {
		struct pv_xml_attr *a = &x->attrs[x->n_attrs++];

		a->name = full_name(p, attrs[0], attrs[1]);
		char *value = pv_arena_strndup(p->arena, (const char *)attrs[3], (size_t)(attrs[4] - attrs[3]));
		a->value = value;
		if (value)
			restore_ampersands(value);
		if (!a->name || !a->value)
			return -ENOMEM;
	}
	return 0;
}

static void link_child(struct parse *p, struct pv_xml *x)
{
	x->parent = p->now;
	if (!p->now)
		p->root = x;
	else if (p->now->last)
		p->now->last->next = x;
	else
		p->now->first = x;
	if (p->now)
		p->now->last = x;
	p->now = x;
}

static void on_start(void *ctx, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int n_ns,
		     const xmlChar **ns, int n_attrs, int n_defaulted, const xmlChar **attrs)
{
	struct parse *p = ctx;

	if (p->stopped)
		return;
	int line = start_line(p);
	if (++p->depth > PV_XML_MAX_DEPTH) {
		pv_problem(p->problems, p->file, line, NULL, "<%s>: elements are nested too deep: at most %d",
			   PV_SHOW((const char *)name), PV_XML_MAX_DEPTH);
		stop(p);
		return;
	}
	struct pv_xml *x = pv_arena_alloc(p->arena, sizeof(*x));
	if (!x || !(x->name = full_name(p, name, prefix)) || take_attributes(p, x, n_attrs, attrs)) {
		stop_memory(p);
		return;
	}
	x->file = p->file;
	x->line = line;
	x->text = "";
	p->text_len = 0;
	link_child(p, x);
}

static void on_end(void *ctx, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
	struct parse *p = ctx;

	if (p->stopped || !p->now)
		return;
	if (p->text_len && !p->now->first) {
		p->now->text = pv_arena_strndup(p->arena, p->text, p->text_len);
		if (!p->now->text)
			stop_memory(p);
	}
	p->text_len = 0;
	p->depth--;
	p->now = p->now->parent;
}

static bool blank(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strchr(" \t\r\n", s[i]) || !s[i])
			return false;
	return true;
}

static void on_text(void *ctx, const xmlChar *s, int n)
{
	struct parse *p = ctx;
	size_t len = n > 0 ? (size_t)n : 0;

	if (p->stopped || !p->now || (blank((const char *)s, len) && (p->now->first || !p->text_len)))
		return;
	if (p->now->first) {
		int line = xmlSAX2GetLineNumber(p->ctxt); /* end of the text */

		for (size_t i = strspn((const char *)s, " \t\r\n"); i < len; i++)
			line -= s[i] == '\n';
		pv_problem(p->problems, p->file, line, NULL, "<%s>: text between its elements, expected elements only",
			   PV_SHOW(p->now->name));
		p->now->bad = true;
		return;
	}
	if (p->text_len + len > TEXT_MAX_BYTES) {
		pv_problem(p->problems, p->file, p->now->line, NULL, "<%s>: text is longer than %zu bytes",
			   PV_SHOW(p->now->name), TEXT_MAX_BYTES);
		stop(p);
		return;
	}
	memcpy(p->text + p->text_len, s, len);
	p->text_len += len;
}

static void on_doctype(void *ctx, const xmlChar *name, const xmlChar *external, const xmlChar *system)
{
	struct parse *p = ctx;

	pv_problem(p->problems, p->file, xmlSAX2GetLineNumber(p->ctxt), NULL,
		   "a DOCTYPE is not allowed: plans have no entities and load nothing; remove it");
	stop(p);
}

static void on_error(void *ctx, xmlErrorPtr e)
{
	struct parse *p = ctx;

	if (p->stopped || e->level < XML_ERR_ERROR)
		return;
	if (e->code == XML_ERR_NO_MEMORY) {
		stop_memory(p);
		return;
	}
	char text[256];
	const char *message = e->message ? e->message : "unknown error";
	/* The advice of libxml2 2.9, to declare another encoding, does not help here. */
	if (e->code == XML_ERR_INVALID_ENCODING || strstr(message, "not proper UTF-8"))
		message = "expected UTF-8; try iconv(1)";
	snprintf(text, sizeof(text), "%s", message);
	text[strcspn(text, "\n")] = '\0';
	pv_problem(p->problems, p->file, e->line, NULL, "not well-formed XML: %s", text);
	p->root = NULL;
	stop(p);
}

/* Drops libxml2's errors outside of a document, which it would print. The document has its own error. */
static void drop_error(void *ctx, xmlErrorPtr e)
{
}

static const xmlSAXHandler sax = {
	.initialized = XML_SAX2_MAGIC,
	.startElementNs = on_start,
	.endElementNs = on_end,
	.characters = on_text,
	.cdataBlock = on_text,
	.ignorableWhitespace = on_text,
	.internalSubset = on_doctype,
	.serror = on_error,
};

/* Returns the position behind the next `end` from `at` on. NULL: none. */
static const char *behind(const char *at, const char *stop, const char *end)
{
	const char *found = memmem(at, (size_t)(stop - at), end, strlen(end));

	return found ? found + strlen(end) : NULL;
}

/*
 * Returns the position behind the tag that begins at `at`, and counts its attributes. NULL: the tag does not end;
 * libxml2 will report it.
 */
static const char *skip_tag(const char *at, const char *stop, unsigned *attributes)
{
	*attributes = 0;
	for (; at < stop && *at != '>'; at++) {
		*attributes += *at == '=';
		if (*at != '"' && *at != '\'')
			continue;
		at = memchr(at + 1, *at, (size_t)(stop - at - 1));
		if (!at)
			return NULL;
	}
	return at < stop ? at + 1 : NULL;
}

static bool begins(const char *at, const char *stop, const char *with)
{
	return (size_t)(stop - at) >= strlen(with) && !memcmp(at, with, strlen(with));
}

static void complain_of_many(struct pv_problems *p, const char *file, const char *data, const char *at, size_t len)
{
	char name[64];
	int line = 1;

	for (const char *c = data; c < at; c++)
		line += *c == '\n';
	snprintf(name, sizeof(name), "%.*s", (int)(len < sizeof(name) ? len : sizeof(name)), at + 1);
	name[strcspn(name, " \t\r\n/>")] = 0;
	pv_problem(p, file, line, NULL, "<%s>: too many attributes: at most %d", PV_SHOW(name), PV_XML_MAX_ATTRS);
}

/* In other encodings a part of a character may look like an end of a tag. */
static bool is_utf8(const char *file, const char *data, size_t len, struct pv_problems *p)
{
	xmlCharEncoding found = len < 4 ? XML_CHAR_ENCODING_NONE : xmlDetectCharEncoding((const xmlChar *)data, 4);

	if (found == XML_CHAR_ENCODING_NONE || found == XML_CHAR_ENCODING_UTF8)
		return true;
	const char *name = xmlGetCharEncodingName(found);
	pv_problem(p, file, 1, NULL, "expected UTF-8, got %s; try iconv(1)", name ? name : "another encoding");
	return false;
}

/*
 * Returns true if no element has too many attributes: libxml2 compares each attribute of an element with all others,
 * which takes a minute for 200,000.
 */
static bool attributes_are_few(const char *file, const char *data, size_t len, struct pv_problems *p)
{
	const char *stop = data + len, *next;

	for (const char *at = memchr(data, '<', len); at; at = next ? memchr(next, '<', (size_t)(stop - next)) : NULL) {
		unsigned attributes = 0;

		if (begins(at, stop, "<!--"))
			next = behind(at, stop, "-->");
		else if (begins(at, stop, "<?"))
			next = behind(at, stop, "?>");
		else if (begins(at, stop, "<![CDATA["))
			next = behind(at, stop, "]]>");
		else
			next = skip_tag(at, stop, &attributes);
		if (attributes > PV_XML_MAX_ATTRS)
			return complain_of_many(p, file, data, at, (size_t)(stop - at - 1)), false;
	}
	return true;
}

static struct pv_xml *parse_text(const char *file, const char *data, size_t len, struct pv_arena *a,
				 struct pv_problems *p)
{
	_autofree_ char *text = malloc(TEXT_MAX_BYTES);
	xmlSAXHandler handler = sax;
	struct parse parse = {.file = file, .arena = a, .problems = p, .text = text};

	if (!len) {
		pv_problem(p, file, 1, NULL, "the file is empty, expected a <plan>");
		return NULL;
	}
	if (!is_utf8(file, data, len, p) || !attributes_are_few(file, data, len, p))
		return NULL;
	xmlParserCtxtPtr ctxt = text && len <= PV_XML_MAX_BYTES ? xmlCreateMemoryParserCtxt(data, (int)len) : NULL;
	if (!ctxt) {
		pv_problem_memory(p);
		return NULL;
	}
	xmlCtxtUseOptions(ctxt, XML_PARSE_NONET | XML_PARSE_BIG_LINES | XML_PARSE_NOCDATA | XML_PARSE_IGNORE_ENC);
	xmlSAXHandler *own = ctxt->sax;
	ctxt->sax = &handler;
	ctxt->userData = &parse;
	parse.ctxt = ctxt;
	xmlSetStructuredErrorFunc(NULL, drop_error);
	xmlParseDocument(ctxt);
	xmlSetStructuredErrorFunc(NULL, NULL);
	ctxt->sax = own;
	bool good = ctxt->wellFormed && !parse.stopped;
	xmlFreeDoc(ctxt->myDoc);
	ctxt->myDoc = NULL;
	xmlFreeParserCtxt(ctxt);
	return good ? parse.root : NULL;
}

/* Opens regular files only. Does not block on a FIFO. */
static int open_regular(const char *file, size_t *size, struct pv_problems *p)
{
	struct stat st;
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 || fstat(fd, &st)) {
		pv_problem(p, file, 0, NULL, "cannot be read: %s", strerror(errno));
	} else if (!S_ISREG(st.st_mode)) {
		pv_problem(p, file, 0, NULL, "is %s, expected an XML file",
			   S_ISDIR(st.st_mode) ? "a directory" : "not a regular file");
	} else if ((uintmax_t)st.st_size > PV_XML_MAX_BYTES) {
		pv_problem(p, file, 0, NULL, "has %jd bytes, expected at most %zu", (intmax_t)st.st_size,
			   PV_XML_MAX_BYTES);
	} else {
		*size = (size_t)st.st_size;
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

struct pv_xml *pv_xml_read(const char *file, struct pv_arena *a, struct pv_problems *p)
{
	size_t size = 0, len = 0;
	_autoclose_ int fd = open_regular(file, &size, p);

	if (fd < 0)
		return NULL;
	_autofree_ char *data = malloc(size + 1);
	if (!data) {
		pv_problem_memory(p);
		return NULL;
	}
	for (ssize_t n; len < size; len += (size_t)n) {
		n = read(fd, data + len, size - len);
		if (n < 0) {
			pv_problem(p, file, 0, NULL, "cannot be read: %s", strerror(errno));
			return NULL;
		}
		if (!n)
			break;
	}
	return parse_text(file, data, len, a, p);
}

const char *pv_xml_get(const struct pv_xml *x, const char *attr)
{
	for (unsigned i = 0; i < x->n_attrs; i++)
		if (pv_xml_same(x->attrs[i].name, attr))
			return x->attrs[i].value;
	return NULL;
}

static struct pv_xml *named(struct pv_xml *x, const char *name)
{
	while (x && !pv_xml_same(x->name, name))
		x = x->next;
	return x;
}

struct pv_xml *pv_xml_child(const struct pv_xml *x, const char *name)
{
	return named(x->first, name);
}

struct pv_xml *pv_xml_sibling(const struct pv_xml *x, const char *name)
{
	return named(x->next, name);
}

unsigned pv_xml_count(const struct pv_xml *x, const char *name)
{
	unsigned n = 0;

	pv_xml_foreach_named (c, x, name)
		n++;
	return n;
}
