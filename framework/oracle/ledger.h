/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes and reads wire ledgers (drivers/regs/wire.h). The writer keeps a bounded part in memory and spills to a
 * file; the reader streams. A ledger may be larger than memory.
 */
#ifndef PV_ORACLE_LEDGER_H
#define PV_ORACLE_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drivers/regs/wire.h"

struct pv_ledger; /* can be read while it is being written */
struct pv_ledger_reader;

#define PV_LEDGER_MEM_BYTES (96u << 20) /* of the ledger of a case that stay in memory */

/* Spills to `path`; NULL: to an unlinked temporary file. `mem_bytes`: the part kept in memory. */
struct pv_ledger *pv_ledger_new(const char *path, size_t mem_bytes, const struct pv_wire_file *head);
void pv_ledger_add(struct pv_ledger *l, const struct pv_wire *w); /* errors stick, see pv_ledger_error() */
int pv_ledger_error(const struct pv_ledger *l);			  /* 0 or -errno, e.g. -ENOSPC: disk full */
uint64_t pv_ledger_records(const struct pv_ledger *l);
/* Forgets all records and an error, and gives up the file. No reader may be open. Not for one that was loaded. */
void pv_ledger_clear(struct pv_ledger *l);
const struct pv_wire_file *pv_ledger_head(const struct pv_ledger *l);
int pv_ledger_save(struct pv_ledger *l, const char *path); /* whole file, written aside and renamed */
/* Opens a finished file as a read-only ledger: adding fails with -EROFS. Checked like pv_ledger_open(). */
int pv_ledger_load(const char *path, struct pv_ledger **out);
void pv_ledger_free(struct pv_ledger *l); /* completes the file at `path` if it was spilled to */

/* Reads records [first, last) of a ledger being written, or of a file (checked: -EBADMSG). */
struct pv_ledger_reader *pv_ledger_read(struct pv_ledger *l, uint64_t first, uint64_t last);
int pv_ledger_open(const char *path, struct pv_ledger_reader **out);
/* Next record, NULL at the end; valid until the next call, or until a record is added. */
const struct pv_wire *pv_ledger_next(struct pv_ledger_reader *r);
/* 0, or -errno: pv_ledger_next() returned NULL because of an error. */
int pv_ledger_reader_error(const struct pv_ledger_reader *r);
void pv_ledger_close(struct pv_ledger_reader *r);

#endif
