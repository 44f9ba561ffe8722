/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares what sysfs shows of a PMU or a function with registers, which are read past the driver. Sources:
 * hisi-ptt.rst, dwc_pcie_pmu.rst, cxl.rst, sysfs-bus-pci and docs/hardware-notes.md for the files; for the registers
 * see each part.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/cpmu.h"
#include "drivers/regs/dwc.h"
#include "drivers/regs/mps.h"
#include "drivers/regs/pcie.h"
#include "drivers/regs/ptt.h"
#include "framework/agent/checks.h"
#include "framework/agent/events.h"
#include "framework/agent/registers.h"
#include "framework/util/bdf.h"
#include "framework/util/cleanup.h"
#include "framework/util/utf8.h"

#define SCAN_MAX 1024 /* functions in DEVICE_RANGE that are looked for */

/* The comparisons of one PMU or function. */
struct view {
	struct pv_session *s;
	const char *name;
	unsigned compared, differ;
	char left[512]; /* what was not judged, and why */
};

/* ---- comparisons ---- */

static void compare(struct view *v, bool same, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void compare(struct view *v, bool same, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	v->compared++;
	if (same)
		return;
	v->differ++;
	va_start(ap, fmt);
	pv_utf8_vprint(text, sizeof(text), fmt, ap);
	va_end(ap);
	pv_session_judge(v->s, false, NULL, "%s: %s", v->name, text);
}

static void leave(struct view *v, const char *what)
{
	size_t n = strlen(v->left);

	snprintf(v->left + n, sizeof(v->left) - n, "%s%s", n ? "; " : "; not judged: ", what);
}

/* Returns whether a file can be compared, of which n bytes were read, or -errno. It may be missing, but not unreadable.
 */
static bool is_read(struct view *v, const char *file, int n)
{
	if (n == -ENOENT)
		leave(v, file);
	else if (n < 0)
		compare(v, false, "%s: expected a file that can be read, or none, got %s", file, pv_errno_name(-n));
	return n >= 0;
}

static int finish(struct view *v)
{
	if (v->differ)
		return 0;
	if (!v->compared)
		return pv_session_unsupported(v->s, "attributes that registers show as well");
	return pv_session_judge(v->s, true, NULL, "%s: %u values of sysfs are those of the registers%s", v->name,
				v->compared, v->left);
}

static int read_attr(const struct view *v, const char *path, char *buf, size_t size)
{
	int n = v->s->t->driver->ops->attr_read(v->s->t->driver, v->name, path, buf, size);

	buf[n < 0 ? 0 : size - 1] = 0;
	buf[strcspn(buf, "\n")] = 0;
	return n;
}

/* Returns true if the text, a line or the begin of one, is this number: "0x1f", or "1f" for base 16. */
static bool is_number(const char *text, int base, uint64_t want)
{
	char *end;
	uint64_t value = strtoull(text, &end, base);

	return isxdigit((unsigned char)*text) && end != text && (!*end || *end == '\n') && value == want;
}

/* Returns the files of a folder, a blank after each, which the caller frees; NULL: the folder cannot be listed. */
static char *list(struct view *v, const char *dir)
{
	char *names = NULL;

	return is_read(v, dir, pv_session_attr_list(v->s, v->name, dir, &names)) ? names : NULL;
}

/* ---- CPMU: CXL 3.1 8.2.7.1 ---- */

struct cpmu {
	uint64_t cap, events[CPMU_EVENT_CAPS_MAX];
	unsigned n;
	bool fixed; /* it has fixed-function counters, whose events a driver may hide from others */
};

static int read_cpmu(struct pv_session *s, const struct pv_cpmu_registers *b, struct cpmu *c)
{
	uint64_t cfg;

	if (pv_registers_cpmu_read(s, b, CPMU_CAP, &c->cap))
		return -1;
	c->n = (unsigned)((c->cap & CPMU_CAP_EVENT_CAPS_MASK) >> CPMU_CAP_EVENT_CAPS_SHIFT) + 1;
	for (unsigned i = 0; i < c->n; i++)
		if (pv_registers_cpmu_read(s, b, CPMU_EVENT_CAP(i), &c->events[i]))
			return -1;
	for (unsigned i = 0; i <= (c->cap & CPMU_CAP_COUNTERS_MASK); i++) {
		if (pv_registers_cpmu_read(s, b, CPMU_COUNTER_CFG(i), &cfg))
			return -1;
		c->fixed |= (cfg & CPMU_CFG_TYPE_MASK) == CPMU_CFG_TYPE_FIXED;
	}
	return 0;
}

static bool has_event(const struct cpmu *c, uint16_t vid, uint16_t gid, uint32_t mask)
{
	for (unsigned i = 0; i < c->n; i++)
		if (c->events[i] >> CPMU_EVENT_CAP_VID_SHIFT == vid &&
		    (c->events[i] & CPMU_EVENT_CAP_GID_MASK) >> CPMU_EVENT_CAP_GID_SHIFT == gid && mask &&
		    (c->events[i] & mask) == mask)
			return true;
	return false;
}

/* Each file stands for an event of the capabilities. */
static void compare_listed(struct view *v, const struct cpmu *c, const char *files)
{
	char name[64];

	while (pv_word_next(&files, name, sizeof(name))) {
		struct pv_event_config config = {0};
		struct pv_error e = {0};
		int err = pv_event_resolve(v->s->t, v->name, name, &config, &e);
		uint16_t vid = config.word[0] >> 48, gid = config.word[0] >> 32 & 0xffff;

		compare(v, !err && has_event(c, vid, gid, (uint32_t)config.word[0]),
			"events/%s: expected an event of EVENT_CAP, got vid 0x%x, gid 0x%x, mask 0x%x%s", name, vid,
			gid, (uint32_t)config.word[0], err ? ", which the PMU does not know" : "");
	}
}

/* Each event of the capabilities that has a name has a file. */
static void compare_unlisted(struct view *v, const struct cpmu *c, const char *files)
{
	struct pv_cpmu_query e;
	char name[64];

	if (c->fixed) {
		leave(v, "events without a file, as some counters are fixed");
		return;
	}
	for (size_t i = 0; !pv_oracle_cpmu_named(i, name, &e); i++)
		if (has_event(c, e.vid, e.gid, e.mask))
			compare(v, pv_word_in(files, name),
				"events: expected %s, which EVENT_CAP has, got no such file", name);
}

static void compare_format(struct view *v, const char *path, bool supported)
{
	char buf[64];
	bool is = read_attr(v, path, buf, sizeof(buf)) >= 0;

	compare(v, is == supported, "%s: expected %s, as CAP says that the filter is%s supported, got %s", path,
		supported ? "a file" : "none", supported ? "" : " not", is ? "one" : "none");
}

static int see_cpmu(struct view *v, pv_bdf bdf)
{
	const char *dot = strrchr(v->name, '.');
	struct pv_cpmu_registers b;
	struct cpmu c = {0};
	char buf[64];

	if (pv_registers_cpmu(v->s, bdf, dot ? (unsigned)strtoul(dot + 1, NULL, 10) : 0, &b) || read_cpmu(v->s, &b, &c))
		return -1;
	_autofree_ char *files = list(v, "events");
	if (files) {
		compare_listed(v, &c, files);
		compare_unlisted(v, &c, files);
	}
	compare_format(v, "format/hdm", c.cap & CPMU_CAP_FILTER_HDM);
	compare_format(v, "format/hdm_filter_en", c.cap & CPMU_CAP_FILTER_HDM);
	if (read_attr(v, "format/crb", buf, sizeof(buf)) >= 0)
		compare_format(v, "format/crb", c.cap & CPMU_CAP_FILTER_CRB);
	return 0;
}

/* ---- Root Ports: F-D10, and PCIe 5.0 7.5.3.2 ---- */

/* Returns the device/port type; UINT_MAX: the function has no PCI Express capability, or is not there. */
static unsigned port_type(struct pv_session *s, pv_bdf bdf)
{
	uint32_t cap = pv_registers_cap(s, bdf, PCI_CAP_ID_EXP);
	uint64_t flags;

	if (!cap || pv_registers_read(s, bdf, -1, cap + PCI_EXP_FLAGS, 2, &flags))
		return UINT32_MAX;
	return (flags & PCI_EXP_FLAGS_TYPE) >> PCI_EXP_FLAGS_TYPE_SHIFT;
}

static int see_dwc(struct view *v, pv_bdf bdf)
{
	uint32_t named = (uint32_t)strtoul(v->name + strlen("dwc_rootport_"), NULL, 16);

	compare(v, named == bdf, "expected the name of Root Port %s, got %s", pv_bdf_name(bdf).s, v->name);
	compare(v, port_type(v->s, bdf) == PCI_EXP_TYPE_ROOT_PORT, "expected a Root Port, got %s with another type",
		pv_bdf_name(bdf).s);
	compare(v, pv_registers_vsec(v->s, bdf, DWC_VSEC_ID, DWC_VSEC_REV),
		"expected a RAS D.E.S. capability in %s, got none", pv_bdf_name(bdf).s);
	leave(v, "events, which no register lists");
	return 0;
}

/* ---- PTT: F-P11, and the registers of hardware-notes.md ---- */

static const struct {
	const char *name;
	uint32_t code;
} tunes[] = {{"qos_tx_cpl", PTT_TUNE_QOS_TX_CPL},
	     {"qos_tx_np", PTT_TUNE_QOS_TX_NP},
	     {"qos_tx_p", PTT_TUNE_QOS_TX_P},
	     {"rx_alloc_buf_level", PTT_TUNE_RX_ALLOC_BUF_LEVEL},
	     {"tx_alloc_buf_level", PTT_TUNE_TX_ALLOC_BUF_LEVEL}};

/* The driver's read leaves code and value in the registers. */
static int compare_tune(struct view *v, pv_bdf bdf, size_t i)
{
	uint64_t ctrl, data;
	char path[64], text[64];

	snprintf(path, sizeof(path), "tune/%s", tunes[i].name);
	int n = read_attr(v, path, text, sizeof(text));
	if (n == -ETIMEDOUT) { /* a device that is tuning does not answer */
		leave(v, path);
		return 0;
	}
	if (!is_read(v, path, n))
		return 0;
	if (pv_registers_read(v->s, bdf, PTT_BAR, PTT_TUNING_CTRL, 4, &ctrl) ||
	    pv_registers_read(v->s, bdf, PTT_BAR, PTT_TUNING_DATA, 4, &data))
		return -1;
	data &= PTT_TUNING_DATA_VAL_MASK;
	compare(v, ctrl == tunes[i].code && is_number(text, 10, data),
		"%s: expected %" PRIu64 ", which TUNING_DATA has of event 0x%06" PRIx64 ", got %s of event 0x%06x",
		path, data, ctrl, text, (unsigned)tunes[i].code);
	return 0;
}

static bool is_in_range(uint64_t range, pv_bdf bdf)
{
	return (bdf & 0xffff) >= (range & PTT_DEVICE_RANGE_LOWER_MASK) &&
	       (bdf & 0xffff) <= range >> PTT_DEVICE_RANGE_UPPER_SHIFT;
}

static void compare_filters(struct view *v, const char *dir, bool ports, uint64_t range)
{
	_autofree_ char *files = list(v, dir);
	const char *at = files;
	char name[64], path[128], text[64];

	while (files && pv_word_next(&at, name, sizeof(name))) {
		pv_bdf bdf;

		if (pv_bdf_parse(name, &bdf))
			continue; /* multiselect */
		unsigned type = port_type(v->s, bdf);
		uint32_t want = ports ? PTT_FILTER_IS_PORT | PTT_FILTER_PORT_BIT(bdf) : bdf & 0xffff;
		snprintf(path, sizeof(path), "%s/%s", dir, name);
		read_attr(v, path, text, sizeof(text));
		compare(v, (type == PCI_EXP_TYPE_ROOT_PORT) == ports && (!ports || is_in_range(range, bdf)),
			"%s: expected %s, got one of type 0x%x, DEVICE_RANGE 0x%08" PRIx64, path,
			ports ? "a Root Port of the core" : "a function below one", type, range);
		compare(v, is_number(text, 16, want), "%s: expected 0x%05x, got \"%s\"", path, want, text);
	}
}

/* Each Root Port of the range has a filter. */
static void compare_ports(struct view *v, pv_bdf ptt, uint64_t range)
{
	uint32_t first = range & PTT_DEVICE_RANGE_LOWER_MASK, last = (uint32_t)(range >> PTT_DEVICE_RANGE_UPPER_SHIFT);

	if (last < first || last - first >= SCAN_MAX) {
		leave(v, "Root Ports without a filter, as DEVICE_RANGE is wide");
		return;
	}
	_autofree_ char *files = list(v, "root_port_filters");
	for (uint32_t i = first; files && i <= last; i++) {
		pv_bdf bdf = (ptt & ~0xffffu) | i;

		if (port_type(v->s, bdf) == PCI_EXP_TYPE_ROOT_PORT)
			compare(v, pv_word_in(files, pv_bdf_name(bdf).s),
				"root_port_filters: expected %s, a Root Port in DEVICE_RANGE, got no such file",
				pv_bdf_name(bdf).s);
	}
}

static int see_ptt(struct view *v, pv_bdf bdf)
{
	uint64_t location, range;
	char name[64];

	if (pv_registers_read(v->s, bdf, PTT_BAR, PTT_LOCATION, 4, &location) ||
	    pv_registers_read(v->s, bdf, PTT_BAR, PTT_DEVICE_RANGE, 4, &range))
		return -1;
	snprintf(name, sizeof(name), "hisi_ptt%u_%u", (unsigned)(location >> PTT_LOCATION_SICL_SHIFT),
		 (unsigned)(location & PTT_LOCATION_CORE_MASK));
	compare(v, !strcmp(name, v->name), "expected the name %s, as LOCATION says, got %s", name, v->name);
	compare_filters(v, "root_port_filters", true, range);
	compare_filters(v, "requester_filters", false, range);
	compare_ports(v, bdf, range);
	for (size_t i = 0; i < sizeof(tunes) / sizeof(*tunes); i++)
		if (compare_tune(v, bdf, i))
			return -1;
	return 0;
}

/* ---- functions: PCIe 5.0 7.5.1 and 7.5.3, sysfs-bus-pci ---- */

static int read_file(const struct view *v, pv_bdf bdf, const char *file, char *text, size_t size)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/%s", pv_bdf_name(bdf).s, file);
	return v->s->t->machine->ops->file_read(v->s->t->machine, path, text, size);
}

/* Header registers. The subsystem is in the header of type 0 only. */
static int compare_header(struct view *v, pv_bdf bdf)
{
	static const struct {
		const char *file;
		uint32_t off, bytes, shift;
		bool type0;
	} files[] = {{"vendor", PCI_VENDOR_ID, 2, 0, false},
		     {"device", PCI_DEVICE_ID, 2, 0, false},
		     {"class", PCI_REVISION, 4, 8, false},
		     {"revision", PCI_REVISION, 1, 0, false},
		     {"subsystem_vendor", PCI_SUBSYSTEM_VENDOR_ID, 2, 0, true},
		     {"subsystem_device", PCI_SUBSYSTEM_ID, 2, 0, true}};
	uint64_t type, value;
	char text[64];

	if (pv_registers_read(v->s, bdf, -1, PCI_HEADER_TYPE, 1, &type))
		return -1;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		if ((files[i].type0 && (type & PCI_HEADER_TYPE_MASK)) ||
		    !is_read(v, files[i].file, read_file(v, bdf, files[i].file, text, sizeof(text))))
			continue;
		if (pv_registers_read(v->s, bdf, -1, files[i].off, files[i].bytes, &value))
			return -1;
		value >>= files[i].shift;
		compare(v, is_number(text, 16, value), "%s: expected 0x%" PRIx64 ", got %.*s", files[i].file, value,
			(int)strcspn(text, "\n"), text);
	}
	return 0;
}

/* Speeds are as "8.0 GT/s PCIe"; a register that has none is "Unknown". */
static int compare_link(struct view *v, pv_bdf bdf, uint32_t reg, unsigned bytes, const char *which)
{
	char file[32], text[64];
	uint64_t value;

	if (pv_registers_read(v->s, bdf, -1, reg, bytes, &value))
		return -1;
	unsigned width = PCI_EXP_LNKSTA_LANES(value);
	struct pv_link_rate link = pv_link_rate_of(value & PCI_EXP_LNKSTA_SPEED, width);
	snprintf(file, sizeof(file), "%s_link_speed", which);
	if (is_read(v, file, read_file(v, bdf, file, text, sizeof(text))))
		compare(v, (unsigned)(strtod(text, NULL) * 1000 + 0.5) == link.speed_mt,
			"%s: expected %u MT/s, as the register says, got %.*s", file, link.speed_mt,
			(int)strcspn(text, "\n"), text);
	snprintf(file, sizeof(file), "%s_link_width", which);
	if (is_read(v, file, read_file(v, bdf, file, text, sizeof(text))))
		compare(v, is_number(text, 10, width), "%s: expected %u lanes, as the register says, got %.*s", file,
			width, (int)strcspn(text, "\n"), text);
	return 0;
}

static int compare_sizes(struct view *v, pv_bdf bdf, uint32_t cap)
{
	struct pv_driver *d = v->s->t->driver;
	uint64_t ctl;

	if (pv_registers_read(v->s, bdf, -1, cap + PCI_EXP_DEVCTL, 2, &ctl))
		return -1;
	for (int mrrs = 0; mrrs < 2; mrrs++) {
		int is = d->ops->get_size(d, bdf, mrrs);
		int field = (int)(mrrs ? (ctl & PCI_EXP_DEVCTL_MRRS) >> PCI_EXP_DEVCTL_MRRS_SHIFT
				       : (ctl & PCI_EXP_DEVCTL_MPS) >> PCI_EXP_DEVCTL_MPS_SHIFT);

		if (is_read(v, mrrs ? "MRRS" : "MPS", is))
			compare(v, is == 128 << field, "%s: expected %d bytes, as Device Control says, got %d",
				mrrs ? "MRRS" : "MPS", 128 << field, is);
	}
	return 0;
}

static int see_function(struct view *v, pv_bdf bdf)
{
	uint32_t cap = pv_registers_cap(v->s, bdf, PCI_CAP_ID_EXP);

	if (cap && compare_sizes(v, bdf, cap))
		return -1;
	if (!pv_has(v->s->t->machine, file_read)) {
		leave(v, "files, which the target does not have");
		return 0;
	}
	if (compare_header(v, bdf))
		return -1;
	unsigned type = cap ? port_type(v->s, bdf) : PCI_EXP_TYPE_RC_END;
	if (type == PCI_EXP_TYPE_RC_END || type == PCI_EXP_TYPE_RC_EC) {
		leave(v, "the link, which the function does not have");
		return 0;
	}
	return compare_link(v, bdf, cap + PCI_EXP_LNKSTA, 2, "current") ||
			       compare_link(v, bdf, cap + PCI_EXP_LNKCAP, 4, "max")
		       ? -1
		       : 0;
}

/* ---- the step ---- */

static const struct {
	const char *begins;
	int (*see)(struct view *v, pv_bdf bdf);
} kinds[] = {{"cxl_pmu_", see_cpmu}, {"dwc_rootport_", see_dwc}, {"hisi_ptt", see_ptt}};

static int see_pmu(struct pv_session *s, const char *pmu)
{
	struct view v = {.s = s, .name = pmu};
	pv_bdf bdf;

	if (!pv_has(s->t->driver, pmu_parent))
		return pv_session_unsupported(s, "parents of PMUs, and so their registers");
	int err = s->t->driver->ops->pmu_parent(s->t->driver, pmu, &bdf);
	if (err)
		return pv_session_expect(s, err, NULL, "finding the function of %s", pmu);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strncmp(pmu, kinds[i].begins, strlen(kinds[i].begins)))
			return kinds[i].see(&v, bdf) ? -1 : finish(&v);
	return pv_session_plan_error(s, "expected a PTT, a CPMU or a PMU of a Root Port, got %s", pmu);
}

static int do_check_attributes(struct pv_session *s, const struct pv_args *a)
{
	const char *pmu = pv_arg_text(a, "pmu"), *device = pv_arg_text(a, "device");
	int err = pmu ? see_pmu(s, pmu) : 0;
	pv_bdf bdf;

	if (err || !device)
		return err;
	struct view v = {.s = s, .name = device};
	return pv_session_bdf(s, device, &bdf) || see_function(&v, bdf) ? -1 : finish(&v);
}

const struct pv_step_def pv_checks_attributes[] = {
	{"check-attributes", do_check_attributes, PV_STEP_CHECK | PV_STEP_DRIVER},
	{NULL},
};
