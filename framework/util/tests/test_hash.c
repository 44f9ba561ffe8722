/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hashes against the vectors that come with FNV-1a (draft-eastlake-fnv, appendix C). */
#include <criterion/criterion.h>

#include "framework/util/hash.h"

Test(hash, vectors_of_its_authors)
{
	cr_expect_eq(pv_hash_text(""), 0xcbf29ce484222325u);
	cr_expect_eq(pv_hash_text("a"), 0xaf63dc4c8601ec8cu);
	cr_expect_eq(pv_hash_text("foobar"), 0x85944171f73967e8u);
}

Test(hash, bytes_may_be_zero)
{
	cr_expect_eq(pv_hash_bytes("a\0b", 1), pv_hash_text("a"));
	cr_expect_neq(pv_hash_bytes("a\0b", 3), pv_hash_bytes("a\0c", 3));
}

Test(hash, in_pieces_as_in_one)
{
	cr_expect_eq(pv_hash_more(pv_hash_text("foo"), "bar", 3), pv_hash_text("foobar"));
	cr_expect_eq(pv_hash_more(PV_HASH_OF_NOTHING, "", 0), pv_hash_text(""));
}
