/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Real machines as targets. A session of the far side begins at boot and ends with the case; the far side does all
 * accesses.
 */
#include "framework/board/board.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/board/commands.h"
#include "framework/board/kernel_log.h"
#include "framework/far/client.h"
#include "framework/far/frames.h"
#include "framework/tap/tap.h"
#include "framework/target/taint.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"

#define MEMDEVS_MAX 64

/* Maps numbers of CXL memory devices between the plan and the running kernel, in names of their PMUs. */
struct memdevs {
	struct {
		unsigned plan, is;
	} number[MEMDEVS_MAX];
	size_t n;
	char name[256]; /* result of the last call */
};

struct board {
	struct pv_target base;
	struct pv_machine machine;
	struct pv_machine_ops ops; /* operations of the machine that this board supports */
	struct pv_tap *tap;	   /* NULL: no tap */
	struct pv_board_commands commands;
	struct pv_topology *topology;
	struct memdevs memdevs;
	json_object *msg;	   /* the case message */
	struct pv_frames frames;   /* requests to the far side; the runner owns its descriptors */
	struct pv_far_client *far; /* NULL: not connected yet */
	bool booted;
	bool reference;		 /* the bundled driver is under test, in the far side */
	uint64_t taint;		 /* bits of the kernel's taint at which this case begins; all: unreadable */
	uint64_t log_from;	 /* offset in the kernel log at which this case begins, in bytes */
	bool has_log;		 /* the log could be read at that time */
	struct pv_error failure; /* reason why it could not be created */
};

static struct board *of(struct pv_machine *m)
{
	return (struct board *)((char *)m - offsetof(struct board, machine));
}

/* ---- the far side ---- */

/* Connects to the far side once. Steps that wait or read registers may precede boot. */
static int ensure_far(struct board *b, struct pv_error *e)
{
	if (!b->far && !b->failure.code && !pv_far_connect(&b->far, pv_frames_exchange, &b->frames, &b->failure)) {
		b->base.driver = pv_far_driver(b->far);
		b->base.shell = b->commands.shell = pv_far_shell(b->far);
	}
	return b->far ? 0 : pv_error(e, b->failure.code, "%s", b->failure.text);
}

static struct pv_machine *machine_of(struct board *b)
{
	return ensure_far(b, NULL) ? NULL : pv_far_machine(b->far);
}

/* ---- PTTs: a BAR and the name of the PMU tell their location ---- */

/* Returns true if `name` is the PMU of this PTT, but not by the name that the plan expects. */
static bool is_other_ptt(struct board *b, const struct pv_topo_node *node, const char *name)
{
	char want[64];
	pv_bdf parent;

	snprintf(want, sizeof(want), "hisi_ptt%u_%u", node->sicl, node->core);
	return !strncmp(name, "hisi_ptt", 8) && strcmp(name, want) && pv_far_driver(b->far)->ops->pmu_parent &&
	       !pv_far_driver(b->far)->ops->pmu_parent(pv_far_driver(b->far), name, &parent) && parent == node->bdf;
}

static int check_ptts(struct board *b, struct pv_error *e)
{
	struct pv_driver *d = pv_far_driver(b->far);
	char name[256];
	const char *next;

	for (size_t n = 0; (next = d->ops->pmu_name(d, n)); n++) {
		snprintf(name, sizeof(name), "%s", next);
		for (size_t i = 0; i < b->topology->n; i++) {
			const struct pv_topo_node *node = &b->topology->nodes[i];

			if (node->role == PV_ROLE_PTT && is_other_ptt(b, node, name))
				return pv_error(e, -EOPNOTSUPP,
						"%s: expected a PTT of SICL %u, core %u, got that of %s", node->name,
						node->sicl, node->core, name);
		}
	}
	return 0;
}

/* ---- CXL memory devices: the kernel numbers their PMUs ---- */

/*
 * Linux probes memory devices in parallel and numbers them (`memN`) in the order in which probes finish, so the numbers
 * of a machine vary from boot to boot. Plans number memory devices by BDF. The parent function of a PMU identifies its
 * device.
 */

/* Returns the length of a CXL PMU's name before ".N", or 0. */
static int parse_cxl_pmu(const char *pmu, unsigned *number)
{
	int end = 0;

	return sscanf(pmu, "cxl_pmu_mem%u%n", number, &end) == 1 && pmu[end] == '.' ? end : 0;
}

/* Numbers the memory devices of the plan from 0 by BDF. False: the plan has no memory device at `bdf`. */
static bool number_in_plan(const struct pv_topology *plan, pv_bdf bdf, unsigned *number)
{
	bool found = false;

	*number = 0;
	for (size_t i = 0; i < plan->n; i++) {
		const struct pv_topo_node *node = &plan->nodes[i];

		if (node->role != PV_ROLE_CXL_MEM || node->spare)
			continue;
		found |= node->bdf == bdf;
		*number += node->bdf < bdf;
	}
	return found;
}

/* Maps the numbers of the driver's PMUs. Devices of the plan without a PMU keep their number. 0 or -E2BIG. */
static int read_memdevs(struct memdevs *m, struct pv_driver *driver, const struct pv_topology *plan)
{
	const struct pv_driver_ops *ops = driver->ops;
	const char *name;

	m->n = 0;
	for (size_t i = 0; ops->pmu_parent && (name = ops->pmu_name(driver, i)); i++) {
		unsigned is, number;
		pv_bdf bdf;

		if (!parse_cxl_pmu(name, &is) || ops->pmu_parent(driver, name, &bdf) ||
		    !number_in_plan(plan, bdf, &number))
			continue;
		if (m->n == MEMDEVS_MAX)
			return -E2BIG;
		m->number[m->n].plan = number;
		m->number[m->n++].is = is;
	}
	return 0;
}

static const char *renumber(struct memdevs *m, const char *name, bool to_plan)
{
	unsigned number;
	int end = parse_cxl_pmu(name, &number);

	for (size_t i = 0; end && i < m->n; i++) {
		unsigned plan = m->number[i].plan, is = m->number[i].is;

		if (number != (to_plan ? is : plan))
			continue;
		snprintf(m->name, sizeof(m->name), "cxl_pmu_mem%u%s", to_plan ? plan : is, name + end);
		return m->name;
	}
	return name;
}

static const char *name_there(void *ctx, const char *here)
{
	return renumber(&((struct board *)ctx)->memdevs, here, false);
}

static const char *name_here(void *ctx, const char *there)
{
	return renumber(&((struct board *)ctx)->memdevs, there, true);
}

static int number_memdevs(struct board *b, struct pv_error *e)
{
	const struct pv_far_names names = {name_there, name_here, b};
	int err = read_memdevs(&b->memdevs, pv_far_driver(b->far), b->topology);

	if (err)
		return pv_error(e, err, "expected at most %d CXL PMUs of the plan's memory devices, got more",
				MEMDEVS_MAX);
	pv_far_rename(b->far, &names);
	return 0;
}

/* ---- the kernel log of the case ---- */

static void begin_log(struct board *b)
{
	_autofree_ char *before = NULL;
	size_t n;

	b->has_log = !pv_kernel_log_read(pv_far_shell(b->far), 0, &before, &n);
	b->log_from = b->has_log ? n : 0;
}

static void keep_log(struct board *b, const char *text, size_t n)
{
	const char *folder = json_object_get_string(json_object_object_get(b->msg, "folder"));
	_autofree_ char *path = NULL;
	struct pv_error e = {0};

	if (!folder || asprintf(&path, "%s/kernel.log", folder) < 0)
		return;
	if (pv_file_write(path, text, n, &e))
		fprintf(stderr, "%s\n", e.text);
}

/* The environment of the run says that a log cannot be read from the beginning. */
static void judge_log(struct board *b, pv_report_fn told, void *ctx)
{
	_autofree_ char *text = NULL;
	size_t n = 0;
	int err = b->has_log ? pv_kernel_log_read(pv_far_shell(b->far), b->log_from, &text, &n) : 0;
	char why[160];

	if (err) {
		snprintf(why, sizeof(why),
			 "looking for kernel reports: expected to read /dev/kmsg, as when the case began, got %s",
			 pv_errno_name(err));
		told(ctx, "guest", why);
	}
	if (err || !n)
		return;
	keep_log(b, text, n);
	pv_kernel_log_judge(text, n, b->topology, b->tap && pv_tap_has_sent(b->tap), told, ctx, stderr);
}

/* ---- the taint of the kernel ---- */

/* A taint that another run or case has left is not this one's. */
static void begin_taint(struct board *b)
{
	if (pv_taint_read(pv_far_shell(b->far), &b->taint))
		b->taint = UINT64_MAX;
}

static void judge_taint(struct board *b, pv_report_fn told, void *ctx)
{
	if (b->booted && b->taint != UINT64_MAX)
		pv_taint_report(pv_far_shell(b->far), b->taint, told, ctx);
}

/* ---- booting ---- */

/* As pci_setup() in drivers/pci/pci.c, which compares prefixes: an option "pcie_bus_performance" is "perf". */
static bool is_policy_option(const char *option, enum pv_mps_policy *policy)
{
	char name[32];

	for (unsigned p = 0; p < PV_MPS_POLICIES_N; p++) {
		int n = snprintf(name, sizeof(name), "pcie_bus_%s", pv_mps_policy_word(p));

		if (p == PV_MPS_DEFAULT || strncmp(option, name, (size_t)n) != 0)
			continue;
		*policy = p;
		return true;
	}
	return false;
}

/* The last option counts. "--" ends the kernel's arguments. */
static bool is_policy_said(const char *cmdline, enum pv_mps_policy *policy)
{
	static const char spaces[] = " \t\n";
	bool said = false;

	for (const char *at = cmdline; *(at += strspn(at, spaces)); at += strcspn(at, spaces)) {
		const char *end = at + strcspn(at, spaces);

		if (end == at + 2 && !strncmp(at, "--", 2))
			break;
		if (strncmp(at, "pci=", 4) != 0)
			continue;
		for (const char *option = at + 4; option < end; option += strcspn(option, ", \t\n") + 1)
			said |= is_policy_option(option, policy);
	}
	return said;
}

bool pv_board_policy_of(const char *cmdline, const char *built_in, enum pv_mps_policy *policy)
{
	if (is_policy_said(cmdline, policy))
		return true;
	for (unsigned p = 0; built_in && p < PV_MPS_POLICIES_N; p++) {
		size_t n = strlen(pv_mps_policy_word(p));

		if (strncmp(built_in, pv_mps_policy_word(p), n) != 0 || built_in[n] != ' ')
			continue;
		*policy = p;
		return true;
	}
	return false;
}

/*
 * The reference driver applies the policy itself. It can start from the firmware's sizes, or from the kernel's if the
 * kernel has the same policy.
 */
static int check_policy(struct board *b, enum pv_mps_policy policy, struct pv_error *e)
{
	char cmdline[4096];
	int64_t n = pv_shell_read_text(pv_far_shell(b->far), "/proc/cmdline", cmdline, sizeof(cmdline));

	if (n < 0)
		return pv_error(e, (int)n, "reading /proc/cmdline of the machine: %s", pv_errno_name((int)n));
	json_object *built_in = json_object_object_get(json_object_object_get(b->msg, "far"), "mps_policy");
	enum pv_mps_policy is;
	if (!pv_board_policy_of(cmdline, json_object_get_string(built_in), &is))
		return pv_error(e, -EOPNOTSUPP, "%s", PV_BOARD_POLICY_UNKNOWN);
	return is == policy || (b->reference && is == PV_MPS_TUNE_OFF)
		       ? 0
		       : pv_error(e, -EOPNOTSUPP, "expected a machine booted with MPS policy %s, got %s",
				  pv_mps_policy_word(policy), pv_mps_policy_word(is));
}

/* Makes the reference driver bind the functions of the plan, and no others. */
static int take_functions(struct board *b, enum pv_mps_policy policy, struct pv_error *e)
{
	_autofree_ pv_bdf *functions = calloc(b->topology->n + 1, sizeof(*functions));
	size_t n = 0;

	if (!functions)
		return pv_error(e, -ENOMEM, "no memory");
	for (size_t i = 0; i < b->topology->n; i++)
		functions[n++] = b->topology->nodes[i].bdf;
	return pv_far_reference(b->far, policy, functions, n, e);
}

/*
 * The machine is running, so the first boot only begins the session. A second one would be a reboot, which is refused.
 */
static int op_boot(struct pv_machine *m, enum pv_mps_policy policy, struct pv_error *e)
{
	struct board *b = of(m);
	int err = b->booted ? pv_error(e, -EOPNOTSUPP, "a machine in use is not rebooted") : ensure_far(b, e);

	b->booted = true;
	if (!err) {
		begin_log(b);
		begin_taint(b);
	}
	if (!err)
		err = check_policy(b, policy, e);
	if (!err && b->reference)
		err = take_functions(b, policy, e);
	if (!err)
		err = check_ptts(b, e);
	if (!err)
		err = number_memdevs(b, e);
	if (b->far && pv_far_failure(b->far)->code)
		err = pv_error(e, pv_far_failure(b->far)->code, "%s", pv_far_failure(b->far)->text);
	return err;
}

static void op_shutdown(struct pv_machine *m, pv_report_fn told, void *ctx)
{
	struct board *b = of(m);

	if (b->far && !pv_far_failure(b->far)->code) {
		judge_log(b, told, ctx);
		judge_taint(b, told, ctx);
	}
	if (b->far && pv_far_failure(b->far)->code)
		told(ctx, "guest", pv_far_failure(b->far)->text);
	else if (b->failure.code)
		told(ctx, "guest", b->failure.text);
	if (b->tap && pv_tap_failure(b->tap)->code)
		told(ctx, "guest", pv_tap_failure(b->tap)->text);
}

/* ---- registers, time, files ---- */

static int op_reg_read(struct pv_machine *m, pv_bdf bdf, int bar, uint32_t off, unsigned bytes, uint64_t *value)
{
	struct pv_machine *far = machine_of(of(m));

	if (!far)
		return -ECONNRESET;
	return far->ops->reg_read ? far->ops->reg_read(far, bdf, bar, off, bytes, value) : -ENODEV;
}

static int op_reg_write(struct pv_machine *m, pv_bdf bdf, int bar, uint32_t off, unsigned bytes, uint64_t value)
{
	struct pv_machine *far = machine_of(of(m));

	if (!far)
		return -ECONNRESET;
	return far->ops->reg_write ? far->ops->reg_write(far, bdf, bar, off, bytes, value) : -ENODEV;
}

static int op_wait(struct pv_machine *m, uint64_t ns)
{
	struct pv_machine *far = machine_of(of(m));

	return far ? far->ops->wait(far, ns) : -ECONNRESET;
}

static int op_file_read(struct pv_machine *m, const char *path, char *buf, size_t size)
{
	struct board *b = of(m);

	return ensure_far(b, NULL) ? -ENODEV : (int)pv_shell_read_text(pv_far_shell(b->far), path, buf, size);
}

static uint64_t op_now_ps(struct pv_machine *m)
{
	return pv_tap_now_ps(of(m)->tap);
}

static const struct pv_machine_ops machine_ops = {
	.boot = op_boot,
	.shutdown = op_shutdown,
	.reg_read = op_reg_read,
	.wait = op_wait,
	.file_read = op_file_read,
};

/* ---- a tap ---- */

static int open_tap(struct board *b, json_object *far, struct pv_error *e)
{
	const char *path = json_object_get_string(json_object_object_get(far, "tap"));
	int err = path ? pv_tap_open(&b->tap, path, e) : 0;

	if (!b->tap)
		return err;
	/* The tap's ledger and the machine must have the same clock. */
	b->ops.now_ps = op_now_ps;
	b->base.workload = pv_tap_workload(b->tap);
	b->base.truth = pv_tap_truth(b->tap);
	return 0;
}

/* ---- the target ---- */

static void op_close(struct pv_target *t)
{
	struct board *b = (struct board *)t; /* base is the first member */

	pv_far_close(b->far);
	pv_tap_close(b->tap);
	pv_topology_free(b->topology);
	json_object_put(b->msg);
	free(b);
}

/* Parses the two descriptors of the far side, which the runner leaves open. */
static int parse_streams(struct board *b, json_object *far, struct pv_error *e)
{
	json_object *list = json_object_object_get(far, "streams");
	int *const to[] = {&b->frames.in, &b->frames.out};
	bool good = json_object_is_type(list, json_type_array) && json_object_array_length(list) == ARRAY_SIZE(to);

	for (size_t i = 0; good && i < ARRAY_SIZE(to); i++) {
		*to[i] = json_object_get_int(json_object_array_get_idx(list, i));
		good = *to[i] > STDERR_FILENO && fcntl(*to[i], F_GETFD) >= 0;
	}
	return good ? 0
		    : pv_error(e, -EINVAL, "case message: \"far\": \"streams\": expected two open descriptors, got %s",
			       list ? json_object_to_json_string(list) : "none");
}

static int set_up(struct board *b, json_object *msg, const struct pv_target_ops *ops, struct pv_error *e)
{
	int64_t timeout_s = json_object_get_int64(json_object_object_get(msg, "timeout_s"));
	json_object *far = json_object_object_get(msg, "far");
	const char *driver = json_object_get_string(json_object_object_get(msg, "driver"));

	b->base = (struct pv_target){.ops = ops, .machine = &b->machine};
	b->ops = machine_ops;
	b->machine.ops = &b->ops;
	b->msg = json_object_get(msg);
	b->reference = !strcmp(driver ? driver : "", "reference");
	/* Shorter than the case's timeout, as this error is more precise than the runner's. */
	b->frames.timeout_ms = timeout_s > 0 && timeout_s <= 86400 ? (int)timeout_s * 1000 / 4 * 3 : 30000;
	b->base.ptt_tick_hz = json_object_get_double(json_object_object_get(far, "ptt_tick_hz"));
	int err = pv_topology_parse(json_object_object_get(msg, "topology"), &b->topology, e);
	b->base.topology = b->topology;
	if (!err)
		err = parse_streams(b, far, e);
	if (json_object_get_boolean(json_object_object_get(far, "writes")))
		b->ops.reg_write = op_reg_write;
	pv_board_commands_init(&b->commands, far, (unsigned)b->frames.timeout_ms);
	b->base.commands = &b->commands.base;
	return err ? err : open_tap(b, far, e);
}

static int open_as(const struct pv_target_ops *ops, struct pv_target **out, json_object *msg, struct pv_error *e)
{
	struct board *b = calloc(1, sizeof(*b));

	if (!b)
		return pv_error(e, -ENOMEM, "target %s: no memory", ops->name);
	/* A write to a dead far side must fail, not kill the agent. */
	signal(SIGPIPE, SIG_IGN);
	int err = set_up(b, msg, ops, e);
	if (err)
		op_close(&b->base);
	else
		*out = &b->base;
	return err;
}

static int open_local(struct pv_target **out, json_object *msg, struct pv_error *e)
{
	return open_as(&pv_target_local, out, msg, e);
}

static int open_ssh(struct pv_target **out, json_object *msg, struct pv_error *e)
{
	return open_as(&pv_target_ssh, out, msg, e);
}

static const char *const drivers[] = {"system", "reference", NULL};

const struct pv_target_ops pv_target_local = {
	.name = "local",
	.help = "this machine, with the drivers of its kernel; read-only unless the board allows writes",
	.drivers = drivers,
	.open = open_local,
	.close = op_close,
};

const struct pv_target_ops pv_target_ssh = {
	.name = "ssh",
	.help = "a machine that ssh reaches (ssh:HOST), with the drivers of its kernel; read-only unless the board "
		"allows writes",
	.drivers = drivers,
	.open = open_ssh,
	.close = op_close,
};
