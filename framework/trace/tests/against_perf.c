/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dump against upstream's: what `perf report -D` of perf 6.12 prints for the payload of a perf.data, and what
 * --perf-compat=6.12 prints, are the same bytes. Exit status 77 (skipped) without that perf.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/trace/output.h"
#include "framework/trace/tests/hand.h"
#include "framework/trace/tests/perffile.h"

enum { SKIPPED = 77, LINE_MAX_BYTES = 512 };

static struct perf_file f;
static struct hand h;
static char folder[] = "/tmp/pcieval-against-perf-XXXXXX";

static bool is_perf_6_12(void)
{
	char line[LINE_MAX_BYTES] = "";
	FILE *p = popen("perf --version 2>/dev/null", "r");
	bool read = p && fgets(line, sizeof(line), p);

	if (p)
		pclose(p);
	if (read && !strncmp(line, "perf version 6.12", 17))
		return true;
	printf("skipped: needs perf 6.12 (linux-perf of bookworm-backports), found %s\n", *line ? line : "none");
	return false;
}

/* Lines of the payload's text: those of other records have offsets of four digits. */
static bool is_payload_line(const char *line)
{
	return strstr(line, "HISI PTT data") || (!strncmp(line, ".  ", 3) && strspn(line + 3, "0123456789abcdef") == 8);
}

static void perf_dump(const char *input, const char *output)
{
	char command[1024], line[LINE_MAX_BYTES];
	FILE *out = fopen(output, "w");

	snprintf(command, sizeof(command), "PERF_CONFIG=/dev/null perf report -D -i %s 2>/dev/null", input);
	FILE *in = popen(command, "r");

	if (!in || !out)
		abort();
	while (fgets(line, sizeof(line), in))
		if (is_payload_line(line))
			fputs(line, out);
	pclose(in);
	fclose(out);
}

static void our_dump(const char *input, const char *output)
{
	struct pv_trace_options all = {.all = true};
	struct pv_trace *t = pv_trace_open(input, &all, NULL);
	int fd = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (!t || fd < 0 || pv_trace_output(t, pv_output_dump, "6.12", 2, fd))
		abort();
	close(fd);
	pv_trace_close(t);
}

static bool same_files(const char *a, const char *b, size_t *n)
{
	FILE *fa = fopen(a, "r"), *fb = fopen(b, "r");
	int ca, cb;

	for (*n = 0; (ca = getc(fa), cb = getc(fb), ca == cb) && ca != EOF; ++*n)
		;
	fclose(fa);
	fclose(fb);
	return ca == cb;
}

static int compare(const char *name)
{
	char input[128], theirs[128], ours[128];
	size_t n;
	FILE *out;
	bool same;

	snprintf(input, sizeof(input), "%s/%s.data", folder, name);
	snprintf(theirs, sizeof(theirs), "%s/%s.perf", folder, name);
	snprintf(ours, sizeof(ours), "%s/%s.pcieval", folder, name);
	pf_end(&f);
	out = fopen(input, "wb");
	if (!out || fwrite(f.bytes, 1, f.n, out) != f.n || fclose(out))
		abort();
	perf_dump(input, theirs);
	our_dump(input, ours);
	same = same_files(theirs, ours, &n);
	printf("%s: %s, %zu bytes of text\n", name, same && n ? "the same" : "DIFFERENT", n);
	if (same && n) {
		unlink(input);
		unlink(theirs);
		unlink(ours);
	}
	return !(same && n);
}

static void payload(void (*add)(struct hand *, uint32_t), unsigned from, unsigned count)
{
	h.n = 0;
	for (unsigned i = 0; i < count; i++)
		add(&h, from + i);
}

static void begin(uint64_t config)
{
	f.n = 0;
	pf_begin_one(&f, config);
	pf_info(&f, 6, PF_PMU, -1);
}

static void two_pieces(void (*add)(struct hand *, uint32_t), uint64_t config)
{
	begin(config);
	payload(add, 0, 300);
	pf_auxtrace(&f, h.bytes, h.n, 0, 0);
	pf_aux(&f, 0, h.n, 1, 100);
	uint64_t offset = h.n;

	payload(add, 300, 50);
	pf_auxtrace(&f, h.bytes, h.n, offset, 0);
}

/* A payload in AUXTRACE records that end within records: each is dumped by itself, and what it begins with decides. */
static void cut_pieces(void (*add)(struct hand *, uint32_t), uint64_t config)
{
	static const size_t sizes[] = {40, 8, 24, 0, 16, 104, 4, 12, 32, 264, 48, 31, 1, 600};
	size_t at = 0;

	begin(config);
	payload(add, 0, 100);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		pf_auxtrace(&f, h.bytes + at, sizes[i], at, 0);
		at += sizes[i];
	}
}

/* Two PMUs, one on two CPUs: three AUX buffers, taking turns. */
static void two_pmus(void)
{
	f.n = 0;
	pf_begin(&f, 3, (const uint32_t[]){9, 9, 10}, (const uint64_t[]){1ull << 32, 1ull << 32, 0});
	pf_info(&f, 6, 9, -1);
	pf_info(&f, 6, 10, -1);
	pf_id_index(&f, 3);
	for (uint32_t i = 0; i < 9; i++) {
		payload(i % 3 == 2 ? hand_4dw : hand_8dw, 100 * i, 20 + i);
		pf_aux(&f, i / 3 * 1000, h.n, i % 2, 100 + i % 3);
		pf_auxtrace(&f, h.bytes, h.n, i / 3 * 1000, i % 3);
	}
}

/* A pattern of data that perf 6.12 does not know of. */
static void pattern(void)
{
	f.n = 0;
	pf_begin_one(&f, 1ull << 32);
	pf_info(&f, 6, PF_PMU, 1);
	payload(hand_8dw, 0, 10);
	pf_auxtrace(&f, h.bytes, h.n, 0, 0);
}

static void noise(size_t n)
{
	begin(0);
	h.n = 0;
	hand_noise(&h, n);
	pf_auxtrace(&f, h.bytes, h.n, 0, 0);
}

int main(void)
{
	uint64_t config_8dw = 1ull << 32;
	int bad = 0;

	if (!is_perf_6_12())
		return SKIPPED;
	if (!mkdtemp(folder))
		abort();
	two_pieces(hand_8dw, config_8dw);
	bad += compare("8dw");
	two_pieces(hand_4dw, 0);
	bad += compare("4dw");
	f.pipe = true;
	two_pieces(hand_8dw, config_8dw);
	bad += compare("8dw-pipe");
	f.pipe = false;
	f.big_endian = true;
	two_pieces(hand_4dw, 0);
	bad += compare("4dw-big-endian");
	f.big_endian = false;
	cut_pieces(hand_8dw, config_8dw);
	bad += compare("8dw-cut");
	cut_pieces(hand_4dw, 0);
	bad += compare("4dw-cut");
	f.pipe = true;
	cut_pieces(hand_8dw, config_8dw);
	bad += compare("8dw-cut-pipe");
	f.pipe = false;
	two_pmus();
	bad += compare("two-pmus");
	pattern();
	bad += compare("pattern");
	noise(4000);
	bad += compare("noise");
	noise(4000 - 8);
	bad += compare("noise-with-a-rest");
	if (!bad)
		rmdir(folder);
	else
		printf("see %s\n", folder);
	return bad != 0;
}
