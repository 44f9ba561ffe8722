/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcapng, parsed block by block, and by capinfos and tshark if they are installed. */
#include <stdio.h>
#include <string.h>

#include "framework/analysis/tests/convert_here.h"
#include "framework/util/cleanup.h"
#include "framework/util/tests/text.h"

enum { SECTION = 0x0a0d0d0a, INTERFACE = 1, STATISTICS = 5, PACKET = 6 };
enum { NIC = 0x100, DISK = 0x208 };

struct option {
	unsigned code, length;
	const char *text;
};

struct block {
	uint32_t type, interface, options;
	uint64_t time;
	char comment[600], name[600], description[600];
	unsigned comments; /* number of comments; text of the last one */
	unsigned resolution;
};

struct file {
	struct block blocks[4096];
	size_t n;
};

static uint32_t le32(const char *p)
{
	return (uint8_t)p[0] | (uint32_t)(uint8_t)p[1] << 8 | (uint32_t)(uint8_t)p[2] << 16 |
	       (uint32_t)(uint8_t)p[3] << 24;
}

/* Parses the options from `at`, which must end exactly at the end of the block. */
static void read_options(struct block *b, const char *at, const char *end)
{
	while (at < end) {
		unsigned code = le32(at) & 0xffff, length = le32(at) >> 16;

		cr_assert_leq(at + 4 + length, end);
		b->options++;
		if (!code) {
			cr_assert_eq(length, 0);
			cr_assert_eq(at + 4, end, "the end of options is the last");
		}
		b->comments += code == 1;
		if (code == 1)
			snprintf(b->comment, sizeof(b->comment), "%.*s", (int)length, at + 4);
		if (b->type == INTERFACE && code == 2)
			snprintf(b->name, sizeof(b->name), "%.*s", (int)length, at + 4);
		if (b->type == INTERFACE && code == 3)
			snprintf(b->description, sizeof(b->description), "%.*s", (int)length, at + 4);
		if (b->type == INTERFACE && code == 9)
			b->resolution = (uint8_t)at[4];
		at += 4 + (length + 3) / 4 * 4;
	}
	cr_assert_eq(at, end);
}

static void read_block(struct file *f, const char *at, uint32_t length)
{
	struct block *b = &f->blocks[f->n++];
	uint32_t fixed = 8;

	cr_assert_leq(f->n, 4096);
	*b = (struct block){.type = le32(at)};
	switch (b->type) {
	case SECTION:
		cr_assert_eq(le32(at + 8), 0x1a2b3c4d);
		fixed = 24;
		break;
	case INTERFACE:
		cr_assert_eq(le32(at + 8), PV_PCAP_LINKTYPE);
		fixed = 16;
		break;
	case PACKET:
		b->interface = le32(at + 8);
		b->time = (uint64_t)le32(at + 12) << 32 | le32(at + 16);
		fixed = 28 + (le32(at + 20) + 3) / 4 * 4;
		break;
	default:
		cr_assert_eq(b->type, STATISTICS);
		fixed = 20;
	}
	read_options(b, at + fixed, at + length - 4);
}

static struct file *read_file(const struct here *h, const struct pv_convert_options *o)
{
	struct file *f = calloc(1, sizeof(*f));
	size_t n, at = 0;
	_autofree_ char *bytes = here_convert(h, "pcapng", o, &n);

	while (at < n) {
		uint32_t length = le32(bytes + at + 4);

		cr_assert(length >= 12 && length % 4 == 0 && length <= n - at);
		cr_assert_eq(le32(bytes + at + length - 4), length);
		read_block(f, bytes + at, length);
		at += length;
	}
	return f;
}

static const struct block *nth(const struct file *f, uint32_t type, unsigned n)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->blocks[i].type == type && !n--)
			return &f->blocks[i];
	cr_assert(false, "there are fewer blocks of type %u", type);
	return NULL;
}

static unsigned count(const struct file *f, uint32_t type)
{
	unsigned n = 0;

	for (size_t i = 0; i < f->n; i++)
		n += f->blocks[i].type == type;
	return n;
}

static struct here *few(void)
{
	struct here *h = calloc(1, sizeof(*h));

	for (uint32_t i = 0; i < 40; i++)
		here_request(h, MWR64, i % 3 ? DISK : NIC, 8, 64 * i, 10 * i);
	return h;
}

Test(pcapng, every_block_is_whole)
{
	_autofree_ struct here *h = few();
	_autofree_ struct file *f = read_file(
		h, &(struct pv_convert_options){.name = "a.bin", .how = "length < 100", .tick_hz = 1000000000});

	cr_expect_eq(count(f, SECTION), 1);
	cr_expect_eq(count(f, PACKET), 40);
	cr_expect_eq(count(f, STATISTICS), 0);
	cr_expect_str_eq(
		f->blocks[0].comment,
		"PCIe TLP headers traced by a HiSilicon PTT, from a.bin, records of --where length < 100. Time is "
		"a clock; 1000000000 ticks per second.");
}

Test(pcapng, packets_are_on_the_interface_of_their_requester)
{
	_autofree_ struct here *h = few();
	here_record(h, 0x7f000000, 0, 0, 0, 400);
	_autofree_ struct file *f = read_file(h, &(struct pv_convert_options){0});

	cr_assert_eq(count(f, INTERFACE), 3);
	cr_expect_str_eq(nth(f, INTERFACE, 0)->name, "01:00.0");
	cr_expect_str_eq(nth(f, INTERFACE, 1)->name, "02:01.0");
	cr_expect_str_eq(nth(f, INTERFACE, 2)->name, "no requester");
	for (unsigned i = 0; i < 40; i++)
		cr_expect_eq(nth(f, PACKET, i)->interface, i % 3 ? 1u : 0u);
	cr_expect_eq(nth(f, PACKET, 40)->interface, 2);
}

Test(pcapng, times_keep_every_tick)
{
	static const struct {
		uint64_t hz, time;
		unsigned resolution;
	} rows[] = {{0, 390, 9},
		    {1000000000, 390, 9},
		    {250000000, 1560, 9},
		    {2500000000, 1560, 10},
		    {1000000000000, 390, 12}};
	_autofree_ struct here *h = few();

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		_autofree_ struct file *f = read_file(h, &(struct pv_convert_options){.tick_hz = rows[i].hz});

		cr_expect_eq(nth(f, INTERFACE, 0)->resolution, rows[i].resolution);
		cr_expect_eq(nth(f, PACKET, 39)->time, rows[i].time, "%zu: %zu", i, (size_t)nth(f, PACKET, 39)->time);
	}
}

Test(pcapng, packets_behind_damage_say_so)
{
	_autofree_ struct here *h = few();
	memset(h->dw[20], 0, 32 * 10);
	_autofree_ struct file *f = read_file(h, &(struct pv_convert_options){0});

	cr_assert_eq(count(f, PACKET), 30);
	for (unsigned i = 0; i < 30; i++)
		cr_expect_str_eq(nth(f, PACKET, i)->comment,
				 i == 20 ? "320 bytes of the trace before this record are damaged or missing" : "");
}

Test(pcapng, damage_at_the_end_is_in_the_statistics)
{
	_autofree_ struct here *h = few();
	memset(h->dw[35], 0, 32 * 5);
	_autofree_ struct file *f = read_file(h, &(struct pv_convert_options){0});

	cr_assert_eq(count(f, PACKET), 35);
	cr_assert_eq(count(f, STATISTICS), 1);
	cr_expect_str_eq(nth(f, STATISTICS, 0)->comment,
			 "160 bytes of the trace before this record are damaged or missing");
}

Test(pcapng, packets_that_break_a_rule_say_so)
{
	static const char *const comments[] = {"",
					       "crosses a 4 KiB boundary: malformed (PCIe 5.0 2.2.7)",
					       "",
					       "",
					       "UR: the completer does not support the request",
					       "poisoned: the data is known to be corrupt (EP)"};
	_autofree_ struct here *h = calloc(1, sizeof(*h));
	here_request(h, MWR64, NIC, 8, 0x1000 - 32, 10);
	here_request(h, MWR64, NIC, 8, 0x1000 - 28, 20);
	here_request(h, MRD64, NIC, 1024, 0x1000, 30);
	here_completion(h, CPLD | 1, NIC, 0, 40);
	here_completion(h, CPL, NIC, UR, 50);
	here_request(h, MWR64 | 1 << 14, NIC, 8, 0x2000, 60);
	_autofree_ struct file *f = read_file(h, &(struct pv_convert_options){0});

	for (unsigned i = 0; i < 6; i++)
		cr_expect_str_eq(nth(f, PACKET, i)->comment, comments[i], "%u: %s", i, nth(f, PACKET, i)->comment);
}

Test(pcapng, a_dump_names_interfaces_and_bounds_sizes)
{
	static struct pv_stat_function functions[] = {
		{.requester = NIC, .name = "Ethernet controller: Ve\xffndor", .mps = 128, .mrrs = 256}};
	static const struct pv_stat_machine machine = {"lspci.txt", functions, 1};
	static const char *const comments[] = {"", "132 bytes of payload: MPS of the requester is 128 (PCIe 5.0 2.2.2)",
					       "", "asks for 260 bytes: MRRS of the requester is 256 (PCIe 5.0 2.2.7)",
					       ""};
	_autofree_ struct here *h = calloc(1, sizeof(*h));
	here_request(h, MWR64, NIC, 32, 0x1000, 10);
	here_request(h, MWR64, NIC, 33, 0x1000, 20);
	here_request(h, MRD64, NIC, 64, 0x1000, 30);
	here_request(h, MRD64, NIC, 65, 0x1000, 40);
	here_request(h, MWR64, DISK, 1024, 0x1000, 50);
	_autofree_ struct file *f = read_file(h, &(struct pv_convert_options){.machine = &machine});

	cr_expect_str_eq(nth(f, INTERFACE, 0)->description, "Ethernet controller: Ve?ndor");
	cr_expect_str_eq(nth(f, INTERFACE, 1)->description, "");
	for (unsigned i = 0; i < 5; i++)
		cr_expect_str_eq(nth(f, PACKET, i)->comment, comments[i], "%u: %s", i, nth(f, PACKET, i)->comment);
}

Test(pcapng, findings_are_comments_of_the_file)
{
	char many[64] = "";
	_autofree_ struct here *h = few();
	_autofree_ struct file *two = read_file(h, &(struct pv_convert_options){.findings = "One.\nTwo."});

	cr_expect_eq(two->blocks[0].comments, 3);
	cr_expect_str_eq(two->blocks[0].comment, "Two.");
	for (unsigned i = 0; i < 20; i++)
		strcat(many, "a\n");
	_autofree_ struct file *some = read_file(h, &(struct pv_convert_options){.findings = many});
	cr_expect_eq(some->blocks[0].comments, 13);
}

Test(pcapng, marks_of_a_rule_end)
{
	_autofree_ struct here *h = calloc(1, sizeof(*h));
	unsigned marked = 0;

	for (uint32_t i = 0; i < 150; i++)
		here_completion(h, CPL, NIC, UR, 10 * i);
	_autofree_ struct file *f = read_file(h, &(struct pv_convert_options){0});
	for (unsigned i = 0; i < 150; i++)
		marked += *nth(f, PACKET, i)->comment != '\0';
	cr_expect_eq(marked, 100);
	cr_expect_neq(strstr(nth(f, PACKET, 99)->comment, " (not marked from here on)"), NULL);
}

Test(pcapng, names_are_made_printable)
{
	_autofree_ struct here *h = few();
	_autofree_ struct file *f = read_file(h, &(struct pv_convert_options){.name = "a\xff\033[1m\xc3\xa9\xe2\x82"});

	cr_expect_neq(strstr(f->blocks[0].comment, ", from a??[1m\xc3\xa9??. "), NULL, "%s", f->blocks[0].comment);
}

Test(pcapng, an_empty_trace_has_a_section)
{
	_autofree_ struct here *h = calloc(1, sizeof(*h));
	_autofree_ struct file *f = read_file(h, &(struct pv_convert_options){0});

	cr_expect_eq(f->n, 1);
	cr_expect_neq(strstr(f->blocks[0].comment, "Time is unknown"), NULL);
}

Test(pcapng, wireshark_reads_it, .timeout = 120)
{
	char command[600];
	size_t n;

	if (system("command -v tshark capinfos >/dev/null"))
		cr_skip_test("tshark is not installed");
	_autofree_ struct here *h = few();
	memset(h->dw[20], 0, 32 * 10);
	_autofree_ char *bytes = here_convert(h, "pcapng", &(struct pv_convert_options){.name = "few"}, &n);
	int fd = memfd_create("pcapng", 0);
	cr_assert_eq(write(fd, bytes, n), (ssize_t)n);
	snprintf(command, sizeof(command),
		 "tshark -X lua_script:" PTT_LUA " -r /proc/%d/fd/%d -T fields -e frame.interface_name -e ptt.kind "
		 "-e frame.comment 2>/dev/null | grep -c '^01:00.0.MWr64.320 bytes of the trace before' >/dev/null && "
		 "capinfos /proc/%d/fd/%d 2>/dev/null | grep -q 'Number of interfaces in file: 2'",
		 (int)getpid(), fd, (int)getpid(), fd);
	cr_expect_eq(system(command), 0, "%s", command);
	close(fd);
}
