/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest's side of the mailbox. The doorbell lies on a page that cannot be written: the store to it traps, as it
 * does in a guest, and what handles the trap is the device.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "fixtures/qemu/fabric.h"
#include "framework/far/mailbox.h"

#define WINDOW 4096u
#define PAGE   4096u

static uint8_t *pages;
static uint8_t window[WINDOW];
static struct pv_mailbox box;

/* Requests that the device received, and its answer. */
static struct {
	unsigned rings;
	uint64_t got_length, length;
	uint8_t got[WINDOW], answer[WINDOW];
} device;

static void ring(int signal)
{
	volatile uint64_t *length = (volatile uint64_t *)(pages + PAGE - PV_MAILBOX_DOORBELL + PV_MAILBOX_LENGTH);

	mprotect(pages + PAGE, PAGE, PROT_READ | PROT_WRITE);
	device.rings++;
	device.got_length = *length;
	memcpy(device.got, window, WINDOW);
	memcpy(window, device.answer, WINDOW);
	*length = device.length;
}

static void setup(void)
{
	struct sigaction on_trap = {.sa_handler = ring};

	pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq((void *)pages, MAP_FAILED);
	sigaction(SIGSEGV, &on_trap, NULL);
	memset(window, 0xee, sizeof(window));
	memset(&device, 0, sizeof(device));
	for (size_t i = 0; i < WINDOW; i++)
		device.answer[i] = (uint8_t)(i * 5 + 1);
	box = (struct pv_mailbox){
		.regs = (volatile uint64_t *)(pages + PAGE - PV_MAILBOX_DOORBELL),
		.window = window,
		.window_bytes = WINDOW,
	};
}

static int64_t exchange(const void *answer, size_t n, void *request)
{
	mprotect(pages + PAGE, PAGE, PROT_READ);
	return pv_mailbox_exchange(&box, answer, n, request);
}

TestSuite(mailbox, .init = setup);

Test(mailbox, the_first_message_is_empty)
{
	uint8_t request[WINDOW] = {0};

	device.length = 8;
	cr_expect_eq(exchange(NULL, 0, request), 8);
	cr_expect_eq(device.rings, 1);
	cr_expect_eq(device.got_length, 0);
	cr_expect_eq(memcmp(request, device.answer, 8), 0);
	cr_expect_eq(request[8], 0, "not a byte more than the message");
}

Test(mailbox, messages_of_every_length)
{
	uint8_t answer[64], request[64];

	for (size_t n = 1; n < 40; n++) {
		memset(request, 0, sizeof(request));
		for (size_t i = 0; i < n; i++)
			answer[i] = (uint8_t)(i + n);
		device.length = 40 - n;
		cr_assert_eq(exchange(answer, n, request), (int64_t)(40 - n));
		cr_assert_eq(device.got_length, n);
		cr_assert_eq(memcmp(device.got, answer, n), 0);
		cr_assert_eq(memcmp(request, device.answer, 40 - n), 0);
		cr_assert_eq(request[40 - n], 0);
	}
}

Test(mailbox, a_message_as_long_as_the_window)
{
	static uint8_t answer[WINDOW], request[WINDOW];

	memset(answer, 0x5a, sizeof(answer));
	device.length = WINDOW;
	cr_expect_eq(exchange(answer, WINDOW, request), WINDOW);
	cr_expect_eq(memcmp(device.got, answer, WINDOW), 0);
	cr_expect_eq(memcmp(request, device.answer, WINDOW), 0);
}

Test(mailbox, messages_longer_than_the_window)
{
	static uint8_t answer[WINDOW + 1], request[WINDOW];

	cr_expect_eq(exchange(answer, WINDOW + 1, request), -EMSGSIZE);
	cr_expect_eq(device.rings, 0);
	device.length = WINDOW + 1;
	cr_expect_eq(exchange(answer, 1, request), -EMSGSIZE);
	cr_expect_eq(request[0], 0);
}

/* The second ring goes unheard here: what is in register and window then is the message, put there once more. */
Test(mailbox, rings_again_with_the_same_message)
{
	uint8_t request[WINDOW] = {0};

	device.length = PV_MAILBOX_AGAIN;
	cr_expect_eq(exchange("the answer", 10, request), 10);
	cr_expect_eq(device.rings, 1);
	cr_expect_eq(memcmp(request, "the answer", 10), 0);
}

Test(mailbox, an_empty_request_is_the_end)
{
	uint8_t request[8];

	cr_expect_eq(exchange("x", 1, request), 0);
}
