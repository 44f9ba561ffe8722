/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A target for tests of the agent alone: one PMU with fixed attribute files, a counter that counts what the test
 * says, configuration space that holds what the test puts there, and nothing behind it.
 */
#ifndef PV_AGENT_TESTS_FAKE_H
#define PV_AGENT_TESTS_FAKE_H

#include "framework/target/target.h"

#define PV_FAKE_REGS  24
#define PV_FAKE_FILES 16

/* A file of a PMU in sysfs; pmu "": of the machine. */
struct pv_fake_file {
	char pmu[32], path[64], text[64];
	int error; /* 0, or -errno of reading it */
};

struct pv_fake_reg {
	pv_bdf bdf;
	int bar;
	uint32_t off;
	unsigned bytes;
	uint64_t value, grows; /* grows: by that, with each read */
};

struct pv_fake {
	struct pv_target base;
	struct pv_machine machine;
	struct pv_driver driver;
	struct pv_workload workload;
	struct pv_truth truth;
	struct pv_shell shell;
	struct pv_commands commands;
	uint64_t moved;		    /* bytes of each workload command, in half a second */
	char moved_by[64];	    /* the ends of the last one */
	int error;		    /* what everything that may fail returns */
	bool gone;		    /* the machine does not answer any more */
	int open_error;		    /* what event_open returns */
	uint64_t refused;	    /* bits of config with which event_open returns -EINVAL */
	int list_error;		    /* what attr_list returns */
	uint64_t count;		    /* what event_read gives */
	struct pv_perf_attr opened; /* attributes of the event opened last */
	unsigned open_events;
	char why[64], pmus[64], log[64];      /* results of probe_status, the PMUs and the driver's log: words */
	int bytes[2];			      /* MPS and MRRS of any function */
	struct pv_fake_reg reg[PV_FAKE_REGS]; /* others read as 0 */
	size_t regs;
	struct pv_fake_file file_of[PV_FAKE_FILES];
	size_t files;
	struct pv_cfg_image *before, *after; /* images out of reset, and now */
	size_t n_before, n_after;
	struct pv_ledger *ledger;
	struct pv_wire meanwhile[2]; /* TLPs on the wire while an event starts or stops: of a PTT, of others */
	unsigned during;	     /* so often */
	bool is_ptt;
	pv_perf_aux_fn aux; /* callback of the event opened last */
	void *aux_ctx;
	struct pv_dma_lost dma_lost;
	struct pv_rules *rules; /* of a machine whose functions are all PTTs with registers of 0 */
	bool holds;		/* something, when it is shut down */
	char said[512];		/* what a program prints */
	bool complains;		/* it does so on standard error */
	bool cut;		/* and there was more of it */
	uint64_t clock_ps;	/* the machine's clock; 0: each record of the ledger takes 10 ns */
	int exits;		/* its exit status */
	const void *file;	/* content of all files */
	size_t file_bytes;
};

/* Makes `f` a target; what it says is the test's. */
struct pv_target *pv_fake_target(struct pv_fake *f);

#endif
