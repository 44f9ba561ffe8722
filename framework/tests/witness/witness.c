/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares MPS and MRRS of random machines: what the kernel's own functions make of them (ci/linux-mps), what the
 * oracle says, and what the reference driver leaves. A machine on which they differ is made as small as possible and
 * printed, in the language of linux_main.c.
 *
 *   mps_witness LINUX_PROGRAM [MACHINES [SEED]]
 *   mps_witness --print MACHINES SEED      only prints the machines, for ci/linux-mps --trees
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/pcie.h"
#include "framework/tests/witness/subjects.h"

#define MACHINES 4000
#define REPORTED 3 /* differences that are shown */
#define ID_PLAIN 0x123419e5
#define POLICIES 5

struct answers {
	struct pv_witness_answer kernel, oracle, driver;
};

static void ask(struct pv_witness_linux *l, const struct pv_witness_machine *m, struct answers *a)
{
	pv_witness_ask_linux(l, m, &a->kernel);
	pv_witness_ask_oracle(m, &a->oracle);
	pv_witness_ask_driver(m, &a->driver);
}

static bool same(const struct pv_witness_sizes *a, const struct pv_witness_sizes *b)
{
	return a->there == b->there && (!a->there || (a->mps == b->mps && a->mrrs == b->mrrs));
}

/* Functions that the kernel has not found keep their sizes: disabled VFs, functions that it does not scan. */
static struct pv_witness_sizes expected(const struct pv_witness_machine *m, const struct answers *a, int i)
{
	if (a->kernel.f[i].there || !a->oracle.f[i].there)
		return a->kernel.f[i];
	return (struct pv_witness_sizes){a->oracle.f[i].there, PCI_EXP_SIZE_BYTES(m->f[i].mps),
					 PCI_EXP_SIZE_BYTES(m->f[i].mrrs)};
}

static bool differs(const struct pv_witness_machine *m, const struct answers *a, int i)
{
	struct pv_witness_sizes want = expected(m, a, i);

	return !same(&want, &a->oracle.f[i]) || !same(&want, &a->driver.f[i]);
}

static bool disagree(struct pv_witness_linux *l, const struct pv_witness_machine *m, struct answers *a)
{
	ask(l, m, a);
	if (a->kernel.problem[0] || a->oracle.problem[0] || a->driver.problem[0])
		return true;
	for (int i = 0; i < m->n; i++)
		if (differs(m, a, i))
			return true;
	return false;
}

/* ---- making a machine smaller ---- */

static void drop_function(struct pv_witness_machine *m, int at)
{
	for (int e = 0; e < m->events; e++)
		m->event[e].slot -= m->event[e].slot > at;
	for (int i = at; i < m->n - 1; i++)
		m->f[i] = m->f[i + 1];
	m->n--;
	for (int i = 0; i < m->n; i++)
		m->f[i].parent -= m->f[i].parent > at;
}

static bool is_slot_of_event(const struct pv_witness_machine *m, int i)
{
	for (int e = 0; e < m->events; e++)
		if (m->event[e].slot == i)
			return true;
	return false;
}

/* A leaf that no other needs: Linux looks for function 0 first. */
static bool try_without(struct pv_witness_machine *m, int at)
{
	for (int i = 0; i < m->n; i++) {
		bool same_device = m->f[i].parent == m->f[at].parent && m->f[i].bus == m->f[at].bus &&
				   PCI_SLOT(m->f[i].devfn) == PCI_SLOT(m->f[at].devfn);

		if (m->f[i].parent == at || (i != at && same_device && !PCI_FUNC(m->f[at].devfn)))
			return false;
	}
	if (is_slot_of_event(m, at) || m->f[at].vf)
		return false;
	drop_function(m, at);
	return true;
}

static bool try_no_vfs(struct pv_witness_machine *m, int at)
{
	int count = m->f[at].vfs;

	for (int i = at + count; i > at; i--)
		drop_function(m, i);
	m->f[at].vfs = 0;
	return count;
}

static bool try_last_event(struct pv_witness_machine *m, int at)
{
	if (at || m->events == 1)
		return false;
	m->events--;
	for (int i = m->n - 1; i >= 0; i--) {
		m->f[i].arrives &= ~(1u << m->events);
		if (!m->f[i].arrives)
			drop_function(m, i);
	}
	return true;
}

static bool try_plain_id(struct pv_witness_machine *m, int at)
{
	bool odd = m->f[at].id != ID_PLAIN;

	m->f[at].id = ID_PLAIN;
	return odd;
}

static bool try_writable(struct pv_witness_machine *m, int at)
{
	bool odd = m->f[at].devctl_ro || m->f[at].mrrs_max != 7;

	m->f[at].devctl_ro = 0;
	m->f[at].mrrs_max = 7;
	return odd;
}

static bool try_no_slot(struct pv_witness_machine *m, int at)
{
	bool odd = (m->f[at].hotplug || m->f[at].slot) && !is_slot_of_event(m, at);

	m->f[at].hotplug = m->f[at].slot = false;
	return odd;
}

static bool try_usual_sizes(struct pv_witness_machine *m, int at)
{
	struct pv_witness_function *f = &m->f[at];
	bool odd = f->mpss != 1 || f->mps || f->mrrs != 2;

	f->mpss = 1;
	f->mps = 0;
	f->mrrs = 2;
	return odd;
}

/* Each changes function `at` in one way; false: nothing to change. */
static bool (*const tries[])(struct pv_witness_machine *m, int at) = {
	try_last_event, try_no_vfs, try_without, try_plain_id, try_writable, try_no_slot, try_usual_sizes,
};

static bool shrink_once(struct pv_witness_linux *l, struct pv_witness_machine *m)
{
	struct answers a;

	for (size_t t = 0; t < sizeof(tries) / sizeof(tries[0]); t++)
		for (int at = m->n - 1; at >= 0; at--) {
			struct pv_witness_machine smaller = *m;

			if (!tries[t](&smaller, at))
				continue;
			pv_witness_number(&smaller);
			if (disagree(l, &smaller, &a)) {
				*m = smaller;
				return true;
			}
		}
	return false;
}

/* ---- report ---- */

static void print_sizes(const char *who, const struct pv_witness_sizes *s)
{
	if (s->there)
		printf("  %s %u/%u", who, s->mps, s->mrrs);
	else
		printf("  %s nothing there", who);
}

static void report(struct pv_witness_linux *l, struct pv_witness_machine *m, uint64_t n)
{
	struct answers a;

	while (shrink_once(l, m))
		;
	disagree(l, m, &a);
	printf("machine %" PRIu64 " differs (MPS/MRRS after all events); made smaller:\n", n);
	pv_witness_print(m, stdout);
	for (int i = 0; i < m->n; i++) {
		struct pv_witness_sizes want = expected(m, &a, i);

		printf("%c %04x", differs(m, &a, i) ? '*' : ' ', pv_witness_bdf(&m->f[i]));
		print_sizes("kernel", &want);
		print_sizes("oracle", &a.oracle.f[i]);
		print_sizes("driver", &a.driver.f[i]);
		printf("\n");
	}
	printf("%s%s%s%s%s%s", a.kernel.problem[0] ? "kernel: " : "", a.kernel.problem,
	       a.oracle.problem[0] ? " oracle: " : "", a.oracle.problem, a.driver.problem[0] ? " driver: " : "",
	       a.driver.problem);
	printf("\n\n");
}

static void make_machine(struct pv_witness_machine *m, uint64_t seed, uint64_t n)
{
	pv_witness_generate(m, seed, n);
	m->policy = (enum pv_mps_policy)(n % POLICIES);
}

static uint64_t compare(struct pv_witness_linux *l, uint64_t machines, uint64_t seed, uint64_t *functions)
{
	struct pv_witness_machine m;
	struct answers a;
	uint64_t bad = 0;

	for (uint64_t n = 0; n < machines; n++) {
		make_machine(&m, seed, n);
		*functions += (uint64_t)m.n;
		if (!disagree(l, &m, &a))
			continue;
		if (bad++ < REPORTED)
			report(l, &m, n);
	}
	return bad;
}

static int print_machines(uint64_t machines, uint64_t seed)
{
	struct pv_witness_machine m;

	for (uint64_t n = 0; n < machines; n++) {
		make_machine(&m, seed, n);
		pv_witness_print(&m, stdout);
	}
	return fflush(stdout) != 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "--print"))
		return print_machines(strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10));
	uint64_t machines = argc > 2 ? strtoull(argv[2], NULL, 10) : MACHINES;
	uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1, functions = 0;
	struct pv_witness_linux *l = argc > 1 ? pv_witness_linux_start(argv[1]) : NULL;

	if (!l) {
		fprintf(stderr, "usage: mps_witness LINUX_PROGRAM [MACHINES [SEED]]: %s\n",
			argc > 1 ? strerror(errno) : "no program");
		return 2;
	}
	uint64_t bad = compare(l, machines, seed, &functions);
	int status = pv_witness_linux_stop(l);
	printf("%" PRIu64 " machines, the policies in turn, %" PRIu64 " functions: %" PRIu64 " differ\n", machines,
	       functions, bad);
	return bad || status || !functions;
}
