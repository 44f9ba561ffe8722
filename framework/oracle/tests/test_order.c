/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Order of TLPs that cross two links, on ledgers written by hand: RP1's link comes first, then RP0's. */
#include <errno.h>

#include "framework/oracle/tests/make.h"
#include "framework/trace/tlp.h"

#define RO     0x00002000u
#define IDO    0x00040000u
#define TC1    0x00100000u
#define CPL    0x0a000000u
#define SWAP64 0x6d000000u
#define CFGRD0 0x04000000u
#define OTHER  0x0200

static struct pv_ledger *ledger;

static void set_up(void)
{
	ledger = make_ledger();
}

static void tear_down(void)
{
	pv_ledger_free(ledger);
}

TestSuite(order, .init = set_up, .fini = tear_down);

static struct pv_wire tlp(uint32_t dw0, uint16_t sender)
{
	struct pv_wire w = make_tlp(dw0);

	w.hdr[1] = (uint32_t)sender << 16 | (w.hdr[1] & 0xffff);
	return w;
}

static void put(const struct pv_wire *w, pv_bdf port)
{
	struct pv_wire copy = *w;

	copy.port = port;
	pv_ledger_add(ledger, &copy);
}

/* A write, then this TLP; on the second link in the other order. */
static void overtake(struct pv_wire w)
{
	struct pv_wire write = tlp(MWR64 | 16, NIC);

	put(&write, RP1);
	put(&w, RP1);
	put(&w, RP0);
	put(&write, RP0);
}

/* The same without overtaking. */
static void follow(struct pv_wire w)
{
	struct pv_wire write = tlp(MWR64 | 16, NIC);

	put(&write, RP1);
	put(&w, RP1);
	put(&write, RP0);
	put(&w, RP0);
}

/* The measure, or its error. */
static int order_of(unsigned classes, bool of_nic)
{
	struct pv_measure_spec s = {.what = PV_MEASURE_OUT_OF_ORDER,
				    .port = RP0,
				    .via = RP1,
				    .dir = PV_WIRE_IN,
				    .classes = classes,
				    .of_requester = of_nic,
				    .requester = NIC};
	struct pv_window win = whole(ledger);
	double out = -1;
	int r = pv_oracle_measure(ledger, &win, &s, &out);

	return r ? r : (int)out;
}

Test(order, all_that_must_wait_is_seen_to_overtake)
{
	static const uint32_t dw0[] = {MRD64 | 16, MRD32 | 16, CFGRD0 | 1, SWAP64 | 2, CPLD | 16, MRD64 | RO | 16};

	for (size_t i = 0; i < sizeof(dw0) / sizeof(dw0[0]); i++)
		overtake(tlp(dw0[i], NIC));
	cr_expect_eq(order_of(0, true), 6);
	cr_expect_eq(order_of(PV_CLASS_NONPOSTED, true), 5);
	cr_expect_eq(order_of(PV_CLASS_COMPLETION, true), 1);
}

Test(order, right_order_is_right)
{
	follow(tlp(MRD64 | 16, NIC));
	follow(tlp(CPLD | 16, NIC));
	follow(tlp(SWAP64 | 2, NIC));
	cr_expect_eq(order_of(0, true), 0);
	cr_expect_eq(order_of(0, false), 0);
}

Test(order, what_an_attribute_permits_is_not_judged)
{
	static const uint32_t dw0[] = {MRD64 | IDO | 16, SWAP64 | RO | 2, SWAP64 | IDO | 2,
				       CPLD | RO | 16,	 CPLD | IDO | 16, CPL,
				       MRD64 | TC1 | 16};

	follow(tlp(MRD64 | 16, NIC));
	for (size_t i = 0; i < sizeof(dw0) / sizeof(dw0[0]); i++)
		overtake(tlp(dw0[i], NIC));
	cr_expect_eq(order_of(0, true), 0);
}

/* A posted request may pass everything, and reads may pass each other. */
Test(order, others_may_pass)
{
	struct pv_wire write = tlp(MWR64 | 16, NIC), a = tlp(MRD64 | 16, NIC), b = tlp(MRD64 | 32, NIC);

	put(&a, RP1);
	put(&write, RP1);
	put(&b, RP1);
	put(&write, RP0);
	put(&b, RP0);
	put(&a, RP0);
	cr_expect_eq(order_of(0, true), 0);
}

Test(order, other_senders_are_not_compared)
{
	struct pv_wire other = tlp(MWR64 | 16, OTHER), read = tlp(MRD64 | 16, OTHER);

	follow(tlp(MRD64 | 16, NIC));
	put(&other, RP0); /* it came from elsewhere */
	put(&read, RP0);
	cr_expect_eq(order_of(0, true), 0);
	cr_expect_eq(order_of(0, false), -EXDEV);
}

/* Its sender is the completer, not the requester. */
Test(order, a_completion_counts_for_its_completer)
{
	struct pv_wire cpl = tlp(CPLD | 16, OTHER);

	cpl.hdr[2] = NIC << 16;
	follow(tlp(MRD64 | 16, NIC));
	overtake(cpl);
	cr_expect_eq(order_of(0, true), 0);
	cr_expect_eq(order_of(0, false), 1);
}

Test(order, discarded_copies_are_not_compared)
{
	static const uint8_t flags[] = {PV_WIRE_F_NULLIFIED, PV_WIRE_F_DUPLICATE, PV_WIRE_F_BAD_LCRC,
					PV_WIRE_F_MALFORMED, PV_WIRE_F_ABORTED};

	follow(tlp(MRD64 | 16, NIC));
	for (size_t i = 0; i < sizeof(flags); i++) {
		struct pv_wire w = tlp(MRD64 | 16, NIC);

		w.flags = flags[i];
		put(&w, RP1);
	}
	cr_expect_eq(order_of(0, true), 0);
}

Test(order, the_other_direction_is_not_compared)
{
	struct pv_wire w = tlp(MRD64 | 16, NIC);

	follow(w);
	w.dir = PV_WIRE_OUT;
	put(&w, RP0);
	cr_expect_eq(order_of(0, true), 0);
}

/* TLPs that are on one link only prove that the stretch cannot be judged. */
Test(order, unlike_links_are_an_error)
{
	static const struct {
		uint32_t dw0;
		pv_bdf port;
	} t[] = {{MWR64 | 16, RP0}, {MWR64 | 16, RP1}, {MRD64 | 16, RP0},
		 {MRD64 | 16, RP1}, {CPLD | 1, RP0},   {CPLD | 1, RP1}};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct pv_wire w = tlp(t[i].dw0, NIC);

		follow(tlp(MRD64 | 16, NIC));
		put(&w, t[i].port);
		cr_expect_eq(order_of(0, true), -EXDEV, "%zu", i);
		tear_down();
		set_up();
	}
}

Test(order, nothing_proves_nothing)
{
	struct pv_wire write = tlp(MWR64 | 16, NIC), read = tlp(MRD64 | 16, NIC);

	cr_expect_eq(order_of(0, true), -ENODATA);
	put(&write, RP1);
	put(&write, RP0);
	cr_expect_eq(order_of(0, true), -ENODATA, "only posted requests");
	tear_down();
	set_up();
	put(&read, RP1);
	put(&read, RP0);
	cr_expect_eq(order_of(0, true), -ENODATA, "no posted request");
}

/* More than the first allocation has room for are under way at once. */
Test(order, many_under_way)
{
	struct pv_wire write = tlp(MWR64 | 16, NIC), read = tlp(MRD64 | 16, NIC);

	for (int i = 0; i < 1000; i++) {
		put(&write, RP1);
		put(&read, RP1);
	}
	for (int i = 0; i < 1000; i++)
		put(&read, RP0);
	for (int i = 0; i < 1000; i++)
		put(&write, RP0);
	cr_expect_eq(order_of(0, true), 1000);
}
