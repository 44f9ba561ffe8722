/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Remarks on error logs (PCIe 5.0 7.8.4), and on legal settings that cost throughput. */
#include "framework/mps/remark.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/core/pcie.h"
#include "framework/mps/budget.h"
#include "framework/mps/engine.h"
#include "framework/mps/facts.h"
#include "framework/mps/predict.h"
#include "framework/util/cleanup.h"

enum { VENDOR_INTEL = 0x8086, COALESCING_REG = 0x48, COALESCING_ON = 1 << 10, MALFORMED_BIT = 18, REMARKS_EACH = 6 };
enum { MRRS_ENOUGH = 512 };

/* ---- error logs ---- */

static uint32_t read_copy(void *ctx, pv_bdf bdf, uint32_t off, unsigned bytes)
{
	return pv_pci_get(ctx, off, bytes);
}

/* Returns the offset of the AER capability; 0: none, or unknown. */
static uint32_t aer_of(const struct pv_pci_func *f)
{
	struct pv_cfg cfg = {(void *)f, f->bdf, read_copy, NULL};

	return f->known == PCI_CFG_BYTES && f->pcie && !f->gone ? pv_pcie_next_ext_cap(&cfg, 0, PCI_EXT_CAP_ID_AER) : 0;
}

static bool has_logged(const struct pv_pci_func *f, uint32_t error)
{
	uint32_t aer = aer_of(f);

	return aer && pv_pci_get(f, aer + PCI_AER_UNCOR_STATUS, 4) & error;
}

enum logged { LOGGED_OTHER, LOGGED_WRITE, LOGGED_COMPLETION };

/*
 * Returns the kind of TLP in the header log (PCIe 5.0 2.2.1). The log belongs to the error at the First Error Pointer.
 */
static enum logged logged_kind(const struct pv_pci_func *f)
{
	uint32_t aer = aer_of(f), first = pv_pci_get(f, aer + PCI_AER_HEADER_LOG, 4);
	unsigned format = first >> 29, type = first >> 24 & 0x1f;

	if ((pv_pci_get(f, aer + PCI_AER_CAP, 4) & PCI_AER_CAP_FEP) != MALFORMED_BIT)
		return LOGGED_OTHER;
	if (type == 0 && (format == 2 || format == 3))
		return LOGGED_WRITE;
	return type == 0x0a && format == 2 ? LOGGED_COMPLETION : LOGGED_OTHER;
}

/* Describes the logged TLP: ", a memory write of 512 bytes by ab:00.0 (header log)"; "": it is of another kind. */
static void describe_header(const struct pv_pci_func *f, char *out, size_t n)
{
	uint32_t log = aer_of(f) + PCI_AER_HEADER_LOG;
	unsigned dw = pv_pci_get(f, log, 4) & 0x3ff, by = pv_pci_get(f, log + 4, 4) >> 16;
	enum logged kind = logged_kind(f);

	*out = '\0';
	if (kind != LOGGED_OTHER)
		snprintf(out, n, ", a %s of %u bytes by %02x:%02x.%x (header log)",
			 kind == LOGGED_WRITE ? "memory write" : "completion", 4 * (dw ? dw : 1024), PCI_BUS(by),
			 PCI_SLOT(by), PCI_FUNC(by));
}

/* A logged TLP of another kind belongs to another mismatch. */
static bool may_be_logged(const struct pv_mismatch *mismatch)
{
	enum logged kind = logged_kind(mismatch->to);

	return has_logged(mismatch->to, PCI_AER_UNCOR_MALFORMED_TLP) &&
	       (kind == LOGGED_OTHER || (kind == LOGGED_COMPLETION) == (mismatch->kind == PV_MISMATCH_COMPLETION));
}

struct pv_evidence pv_evidence_of(const struct pv_mismatch *mismatch)
{
	struct pv_evidence e = {""};
	char header[96];

	if (may_be_logged(mismatch)) {
		describe_header(mismatch->to, header, sizeof(header));
		snprintf(e.text, sizeof(e.text), "AER of %s has logged a Malformed TLP%s", mismatch->to->name, header);
	} else if (mismatch->kind == PV_MISMATCH_COMPLETION &&
		   has_logged(mismatch->requester, PCI_AER_UNCOR_COMPLETION_TIMEOUT)) {
		snprintf(e.text, sizeof(e.text), "AER of %s has logged a Completion Timeout",
			 mismatch->requester->name);
	}
	return e;
}

/* ---- remarks ---- */

static void remark(struct pv_remarks *r, const struct pv_pci_func *f, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void remark(struct pv_remarks *r, const struct pv_pci_func *f, const char *fmt, ...)
{
	va_list ap;

	r->list[r->n].func = f;
	va_start(ap, fmt);
	vsnprintf(r->list[r->n].text, sizeof(r->list[r->n].text), fmt, ap);
	va_end(ap);
	r->n++;
}

static bool is_end_of(const struct pv_mismatches *found, const struct pv_pci_func *f)
{
	for (size_t i = 0; i < found->n; i++)
		if (found->list[i].to == f)
			return true;
	return false;
}

static void remark_log(struct pv_remarks *r, const struct pv_mismatches *found, const struct pv_pci_func *f)
{
	char header[96];

	if (!has_logged(f, PCI_AER_UNCOR_MALFORMED_TLP) || is_end_of(found, f))
		return;
	describe_header(f, header, sizeof(header));
	remark(r, f, "AER has logged a Malformed TLP%s; the sizes of now do not explain it", header);
}

static bool is_less(struct pv_link_rate a, struct pv_link_rate b)
{
	return pv_link_bytes_per_s(&a) < pv_link_bytes_per_s(&b);
}

/* Only function 0 of a device has the remark, as the link belongs to all of them. */
static void remark_link(struct pv_remarks *r, const struct pv_pci_func *f)
{
	const struct pv_pci_func *up = f->parent;
	struct pv_link_rate now = pv_link_now(f), both = {0};

	if (!up || !pv_heads_link(up) || !pv_is_function_0(f) || !now.width || !pv_link_most(f).width ||
	    !pv_link_most(up).width)
		return;
	both.speed_mt = pv_link_most(f).speed_mt < pv_link_most(up).speed_mt ? pv_link_most(f).speed_mt
									     : pv_link_most(up).speed_mt;
	both.width = pv_link_most(f).width < pv_link_most(up).width ? pv_link_most(f).width : pv_link_most(up).width;
	if (is_less(now, both))
		remark(r, f, "its link runs at %s, and both ends can %s%s", pv_link_text(now).s, pv_link_text(both).s,
		       now.width == both.width ? "; power management may lower the speed of an idle link" : "");
}

/* Without ARI each function has a field of its own (PCIe 5.0 7.5.3.4); the device decides which one counts (2.2.2). */
static void remark_device(struct pv_remarks *r, const struct pv_pci_machine *m, const struct pv_pci_func *f)
{
	const struct pv_pci_func *first = pv_pci_find(m, f->bdf & ~7u);

	if (f->is_ari || f->is_ari_orphan || !first || first == f || !pv_has_sizes(first) ||
	    pv_mps_of(first) == pv_mps_of(f) || pv_port_type(f) == PCI_EXP_TYPE_ROOT_PORT ||
	    pv_port_type(f) == PCI_EXP_TYPE_RC_END)
		return;
	remark(r, f, "MPS %d, and function 0 of the same device has %d", pv_mps_of(f), pv_mps_of(first));
}

static void remark_mrrs(struct pv_remarks *r, const struct pv_pci_func *f)
{
	const struct pv_pci_func *top = pv_predict_top(f);
	int mrrs = pv_mrrs_of(f), top_mps = top ? pv_mps_of(top) : 0;
	double now = top ? pv_predict(f, pv_mps_of(f), mrrs, top_mps).read : 0;
	double then = top ? pv_predict(f, pv_mps_of(f), MRRS_ENOUGH, top_mps).read : 0;

	if (mrrs != 128 || now <= 0 || then <= now)
		return;
	remark(r, f, "MRRS 128 costs reads: at most %.2f GB/s, %.2f with %d; %u bytes in flight with %u tags",
	       now / 1e9, then / 1e9, MRRS_ENOUGH, pv_tags_of(f) * 128, pv_tags_of(f));
}

static void remark_uplink(struct pv_remarks *r, const struct pv_pci_func *f)
{
	struct pv_budget b;

	if (pv_budget_find(f, &b) && pv_budget_is_short(&b))
		remark(r, f,
		       "the links below it carry %.2f GB/s together, its own %.2f: devices share it; all at once they "
		       "write at most %.2f GB/s and read %.2f",
		       b.below / 1e9, b.link / 1e9, b.together.write / 1e9, b.together.read / 1e9);
}

static bool has_coalescing(const struct pv_pci_func *f)
{
	/* The devices in Linux's quirk_intel_mc_errata(): memory controllers, and ports 2 to 7. */
	static const uint16_t ids[] = {0x25c0, 0x25d0, 0x25d4, 0x25d8, 0x25e2, 0x25e3, 0x25e4, 0x25e5, 0x25e6,
				       0x25e7, 0x25f7, 0x25f8, 0x25f9, 0x25fa, 0x65c0, 0x65e2, 0x65e3, 0x65e4,
				       0x65e5, 0x65e6, 0x65e7, 0x65f7, 0x65f8, 0x65f9, 0x65fa};

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		if (pv_pci_get(f, PCI_VENDOR_ID, 2) == VENDOR_INTEL && pv_pci_get(f, PCI_DEVICE_ID, 2) == ids[i])
			return true;
	return false;
}

/* lspci's text lacks the register, and synthetic dumps may contain another one there. */
static bool shows_coalescing(const struct pv_pci_func *f)
{
	bool is_covered = f->pcie && f->pcie <= COALESCING_REG && COALESCING_REG < f->pcie + PCI_EXP_CAP_BYTES;

	return f->known >= 256 && !is_covered && !(f->note && f->note->from_text);
}

static bool is_coalescing(const struct pv_pci_func *f)
{
	return has_coalescing(f) && (!shows_coalescing(f) || pv_pci_get(f, COALESCING_REG, 2) & COALESCING_ON);
}

const struct pv_pci_func *pv_coalescing_erratum(const struct pv_pci_machine *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (is_coalescing(&m->funcs[i]))
			return &m->funcs[i];
	return NULL;
}

static void remark_erratum(struct pv_remarks *r, const struct pv_pci_func *f)
{
	if (is_coalescing(f))
		remark(r, f, "read completion coalescing %s (bit 10 of 0x48): no MPS above 128 (Intel 5000 erratum)",
		       shows_coalescing(f) ? "is on" : "may be on");
}

int pv_remarks_find(const struct pv_pci_machine *m, const struct pv_mismatches *found, struct pv_remarks *remarks)
{
	remarks->n = 0;
	remarks->list = calloc(REMARKS_EACH * m->n + 1, sizeof(*remarks->list));
	if (!remarks->list)
		return -ENOMEM;
	for (size_t i = 0; i < m->n; i++) {
		const struct pv_pci_func *f = &m->funcs[i];

		remark_erratum(remarks, f);
		if (!pv_has_sizes(f))
			continue;
		remark_log(remarks, found, f);
		remark_link(remarks, f);
		remark_device(remarks, m, f);
		remark_mrrs(remarks, f);
		remark_uplink(remarks, f);
	}
	return 0;
}

void pv_remarks_free(struct pv_remarks *remarks)
{
	free(remarks->list);
	*remarks = (struct pv_remarks){0};
}
