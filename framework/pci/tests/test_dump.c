/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Good dumps, files that are no dumps, and messages for broken dumps. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/pci/dump.h"
#include "framework/util/cleanup.h"

#define LINE(offset) offset ": 86 80 c0 29 06 00 10 00 00 00 00 06 00 00 00 00\n"
#define HEADER	     LINE("00") LINE("10") LINE("20") LINE("30")

/* Copies a dump; *error has the message of a refusal. */
static int copy(const char *text, char **out, struct pv_error *e)
{
	struct pv_pci_notes notes;
	size_t n;
	FILE *f = open_memstream(out, &n);
	int err = pv_pci_dump_copy("x.txt", text, strlen(text), f, &notes, e);

	fclose(f);
	free(notes.list);
	return err;
}

static const char *const good[] = {
	"00:00.0 Host bridge\n" HEADER,
	"00:00.0 \n" HEADER,
	"00:00.0 Host bridge\r\n" HEADER "\r\n",
	"10000:e0:1f.7 Host bridge\n" HEADER,
	"$ lspci -xxxx\n0000:00:00.0 Host bridge\n\tControl: I/O+\n\tLnkSta: Speed 8GT/s\n" HEADER "\n\n",
	/* Without root's rights, lspci prints nothing for some functions. */
	"00:00.0 Host bridge\n\n00:01.0 bridge\n" HEADER,
	"\xef\xbb\xbf"
	"00:00.0 Host bridge\n" HEADER,
	/* Lines that only look like offsets: a mail header, /proc/interrupts. */
	"Cc: the list\n256: text\n100:   0   0  PCI-MSI\n00:00.0 Host bridge\n" HEADER "Cc: 12\n40: and so on\n",
};

/* Mails quote text, and code blocks are indented: the prefix of a heading precedes all of its lines. */
static const char *const quotes[] = {"> ", "> > ", "    ", "\t"};

Test(pci_dump, takes_what_is_quoted)
{
	for (size_t i = 0; i < ARRAY_SIZE(quotes); i++) {
		_autofree_ char *text = NULL, *out = NULL;
		const char *q = quotes[i];
		struct pv_error e = {0};

		cr_assert_gt(asprintf(&text,
				      "somebody wrote:\n%s00:00.0 Host bridge\n%s" LINE("00") "%s" LINE("10") "%s" LINE(
					      "20") "%s" LINE("30") "\nyes\n",
				      q, q, q, q, q),
			     0);
		cr_expect_eq(copy(text, &out, &e), 0, "%zu: %s", i, e.text);
		cr_expect(strstr(out, "30: 86 80 c0 29 06 00 10 00 00 00 00 06 00 00 00 00\n"), "%zu: %s", i, out);
	}
}

Test(pci_dump, takes_what_lspci_prints)
{
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		_autofree_ char *out = NULL;
		struct pv_error e = {0};

		cr_expect_eq(copy(good[i], &out, &e), 0, "%zu: %s", i, e.text);
		cr_expect(strstr(out, "30: 86 80 c0 29 06 00 10 00 00 00 00 06 00 00 00 00\n"), "%zu: %s", i, out);
	}
}

static const struct {
	const char *text, *says;
} bad[] = {
	{"", "no dump of PCI functions: expected what 'lspci -vv' or 'lspci -xxxx' prints"},
	{"hello\n", "no dump of PCI functions"},
	{"\x1f\x8b\x08 and so on", "x.txt: a file packed with gzip: expected the text that it holds"},
	{"\xfd"
	 "7zXZ",
	 "packed with xz"},
	{"00:00.0 x\n" LINE("00") "> " LINE("10") "00:01.0 y\n", "0000:00:00.0 is truncated"},
	{"00:00.0 Host bridge\n",
	 "functions without their configuration space; take it as root: lspci -vv or lspci -xxxx"},
	{HEADER, "x.txt:1: expected the line of a function before its bytes"},
	{"00:20.0 Host bridge\n" HEADER, "x.txt:1: expected a device up to 1f and a function up to 7"},
	{"00:00.8 Host bridge\n" HEADER, "x.txt:1: expected a device up to 1f and a function up to 7"},
	{"00:00.a Host bridge\n" HEADER, "x.txt:1: expected a device up to 1f and a function up to 7"},
	/* libpci 3.9 writes before its buffer here */
	{"00:00.0 x\nffffff00: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n",
	 "x.txt:2: expected the next offset of configuration space"},
	{"00:00.0 x\n" LINE("10"), "x.txt:2: expected the next offset"},
	{"00:00.0 x\n" LINE("00") LINE("00"), "x.txt:3: expected the next offset"},
	{"00:00.0 x\n00: 86 80\n", "x.txt:2: expected sixteen bytes"},
	{"00:00.0 x\n00: 86 80 c0 29 06 00 10 00 00 00 00 06 00 00 00 0g\n", "x.txt:2: expected sixteen bytes"},
	{"00:00.0 x\n00: 86 80 c0 29 06 00 10 00 00 00 00 06 00 00 00 00 00\n",
	 "x.txt:2: expected sixteen bytes and no more"},
	{"00:00.0 x\n00: 86 80 c0 29 06 00 10 00 00 00 00 06 00 00 000 00\n", "x.txt:2: expected sixteen bytes"},
	{"00:00.0 x\n" LINE("00") "00:01.0 y\n" HEADER,
	 "x.txt:3: 0000:00:00.0 is truncated: expected 64, 128, 256 or 4096 bytes of configuration space, got 16"},
	{"00:00.0 x\n" LINE("00") LINE("10"), "0000:00:00.0 is truncated: expected 64, 128, 256 or 4096"},
};

Test(pci_dump, refuses_what_is_broken_and_says_where)
{
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		_autofree_ char *out = NULL;
		struct pv_error e = {0};

		cr_expect_eq(copy(bad[i].text, &out, &e), -EBADMSG, "%zu", i);
		cr_expect(strstr(e.text, bad[i].says), "%zu: expected '%s', got '%s'", i, bad[i].says, e.text);
	}
}

Test(pci_dump, ends_at_the_last_byte_of_extended_space)
{
	_autofree_ char *text = NULL, *out = NULL;
	struct pv_error e = {0};
	size_t n;
	FILE *f = open_memstream(&text, &n);

	fputs("00:00.0 x\n", f);
	for (unsigned off = 0; off <= 0x1000; off += 16)
		fprintf(f, "%02x: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n", off);
	fclose(f);
	cr_expect_eq(copy(text, &out, &e), -EBADMSG);
	cr_expect(strstr(e.text, "x.txt:258: expected the next offset"), "%s", e.text);
}
