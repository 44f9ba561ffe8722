/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A guest that stands in for a board in tests: boots a kernel whose PCI hardware is the models, and lets it run until a
 * signal ends it. In FOLDER are two sockets: `ssh`, behind which OpenSSH's server of the guest is (through its second
 * serial port), and `tap`, which sends traffic and has the ledger. Says "ready" when somebody may log in. SIGUSR1 has
 * it write FOLDER/registers.
 *
 * The guest's clock is never faster than the host's. Usage: board-vm FOLDER <MESSAGE; MESSAGE has "topology", "seed"
 * and "guest" of a case message (docs/protocol.md). board-vm --connect SOCKET is for ssh's ProxyCommand.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "framework/qemu/fabric.h"
#include "framework/qemu/guest.h"
#include "framework/qemu/vm.h"
#include "framework/target/hw.h"
#include "framework/tests/board/serial_mux.h"
#include "framework/tests/board/tap_server.h"
#include "framework/util/cleanup.h"
#include "framework/util/error.h"
#include "framework/util/file.h"

#define WINDOW_BYTES (64u << 10)
#define TICK_NS	     200000
#define BEHIND_NS    1000000 /* by more than this, the guest's clock does not catch up */
#define READY	     "relay: ready"

enum { FABRIC, SSH, CLIENT, SERIAL, TAP, USER, FDS };

struct board {
	struct pv_hw hw;
	struct pv_fabric_peer fabric;
	struct pv_guest guest;
	struct pv_vm vm;
	char console[4096], registers[4096];
	bool ready;
	struct pv_serial_mux mux;
	struct pv_tap_server tap;
	int ssh_socket, tap_socket;
	bool asked; /* the guest stands still until it is answered */
	struct pv_fabric_ask ask;
	uint64_t guest_ns, host_ns; /* both clocks at one moment */
};

static volatile sig_atomic_t stopped, asked_registers;

/* ---- registers of the models as text, to compare two moments by ---- */

/* Read in the models, so that no kernel has a say in it. */

#define BARS 6

static void write_one(FILE *f, pv_bdf bdf, const char *space, uint32_t off, uint32_t value)
{

	if (value)
		fprintf(f, "%s %s 0x%05" PRIx32 " %08" PRIx32 "\n", pv_bdf_text(bdf).s, space, off, value);
}

static void write_config(FILE *f, const struct pv_hw *hw, pv_bdf bdf)
{
	uint8_t data[4096];
	uint32_t value;

	if (pv_model_cfg_snapshot(hw->model, bdf, data))
		return;
	for (uint32_t off = 0; off < sizeof(data); off += sizeof(value)) {
		memcpy(&value, data + off, sizeof(value));
		write_one(f, bdf, "config", off, value);
	}
}

static void write_bars(FILE *f, const struct pv_hw *hw, pv_bdf bdf)
{
	char space[] = "bar0";

	for (unsigned bar = 0; bar < BARS; bar++) {
		uint64_t bytes = pv_model_bar_bytes(hw->model, bdf, bar);

		space[3] = (char)('0' + bar);
		for (uint32_t off = 0; off < bytes; off += 4)
			write_one(f, bdf, space, off, (uint32_t)pv_model_mmio_read(hw->model, bdf, bar, off, 4));
	}
}

/*
 * Writes `path` atomically, with a line for each non-zero DW: function, space, offset, value. Covers configuration
 * space of all functions, and BARs of PTTs and CXL memory devices. BARs are read as by a CPU, with the effects on
 * registers and on the models' time.
 */
static int write_all_registers(struct pv_hw *hw, const char *path, struct pv_error *e)
{
	_autofree_ char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	for (size_t i = 0; f && i < hw->topo->n; i++) {
		const struct pv_topo_node *node = &hw->topo->nodes[i];

		if (hw->model_id[i] < 0)
			continue;
		write_config(f, hw, node->bdf);
		if (node->conf.kind == PV_NODE_PTT || node->conf.kind == PV_NODE_CXL_MEM)
			write_bars(f, hw, node->bdf);
	}
	if (!f || fclose(f))
		return pv_error(e, -ENOMEM, "no memory");
	return pv_file_write(path, text, n, e);
}

/* ---- standard streams to and from a socket, for ssh's ProxyCommand ---- */

/* Copies what is there: 0 at the end, or -1. */
static ssize_t copy(int from, int to)
{
	char data[16384];
	ssize_t n = read(from, data, sizeof(data));

	return n > 0 && pv_write_all(to, data, (size_t)n) ? -1 : n;
}

static void carry(int fd)
{
	struct pollfd fds[2] = {{STDIN_FILENO, POLLIN, 0}, {fd, POLLIN, 0}};

	while (poll(fds, 2, -1) > 0 || errno == EINTR) {
		if (fds[1].revents && copy(fd, STDOUT_FILENO) <= 0)
			return;
		if (fds[0].revents && copy(STDIN_FILENO, fd) <= 0) {
			shutdown(fd, SHUT_WR);
			fds[0].fd = -1;
		}
	}
}

/*
 * Until the socket's other end closes it, or standard input ends and the socket's other end has. Returns the exit
 * status.
 */
static int connect_streams(const char *path)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	_autoclose_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (strlen(path) >= sizeof(at.sun_path)) {
		fprintf(stderr, "board-vm: %s: expected a path of less than %zu bytes\n", path, sizeof(at.sun_path));
		return 1;
	}
	strcpy(at.sun_path, path);
	if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof(at))) {
		fprintf(stderr, "board-vm: %s: %s\n", path, strerror(errno));
		return 1;
	}
	carry(fd);
	return 0;
}

static void stop(int signal)
{
	stopped = signal;
}

static void ask_registers(int signal)
{
	asked_registers = signal;
}

/* ---- the hardware ---- */

static void *host_dma_map(void *ctx, pv_bdf bdf, uint64_t addr, size_t bytes)
{
	return pv_fabric_dma_map(&((struct board *)ctx)->fabric, bdf, addr, bytes);
}

static void host_msi(void *ctx, pv_bdf bdf, unsigned vector)
{
	pv_fabric_msi(&((struct board *)ctx)->fabric, bdf, vector);
}

/* ---- time ---- */

static uint64_t host_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* How long the ask has to wait for the host's clock to be where the guest's is. */
static uint64_t ahead_ns(struct board *b)
{
	uint64_t now = host_now(), due = b->host_ns + (b->ask.now_ns - b->guest_ns);

	if (now > due + BEHIND_NS) {
		b->guest_ns = b->ask.now_ns;
		b->host_ns = now;
	}
	return due > now ? due - now : 0;
}

static int serve_guest(struct board *b, short revents)
{
	int err = 0;

	if (!b->asked && revents) {
		err = pv_fabric_take(&b->fabric, &b->ask);
		b->asked = !err;
	}
	if (!b->asked || (b->ask.op != PV_FABRIC_HELLO && ahead_ns(b)))
		return err;
	b->asked = false;
	return pv_fabric_answer(&b->fabric, &b->ask);
}

/* ---- who comes from outside ---- */

static void look_for_ready(struct board *b)
{
	char text[8192];
	ssize_t n = b->ready ? 0 : pread(b->vm.console_fd, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = 0;
	if (!strstr(text, READY))
		return;
	b->ready = true;
	puts("ready");
	fflush(stdout);
}

static int accept_one(int listening)
{
	return accept4(listening, NULL, NULL, SOCK_CLOEXEC);
}

static void set_fds(struct board *b, struct pollfd *fds)
{
	fds[FABRIC] = (struct pollfd){b->asked ? -1 : b->fabric.fd, POLLIN, 0};
	fds[SSH] = (struct pollfd){b->ready && pv_serial_mux_is_free(&b->mux) ? b->ssh_socket : -1, POLLIN, 0};
	fds[CLIENT] = (struct pollfd){b->mux.client, pv_serial_mux_wants_client(&b->mux), 0};
	if (!fds[CLIENT].events)
		fds[CLIENT].fd = -1;
	fds[SERIAL] = (struct pollfd){b->mux.serial, pv_serial_mux_wants_serial(&b->mux), 0};
	fds[TAP] = (struct pollfd){b->tap.fd < 0 ? b->tap_socket : -1, POLLIN, 0};
	fds[USER] = (struct pollfd){b->tap.fd, POLLIN, 0};
}

static int write_registers(struct board *b)
{
	struct pv_error e = {0};

	if (!asked_registers)
		return 0;
	asked_registers = 0;
	return write_all_registers(&b->hw, b->registers, &e);
}

static int serve_once(struct board *b)
{
	struct pollfd fds[FDS];
	uint64_t ns = b->asked ? ahead_ns(b) : 50000000;
	const struct timespec timeout = {0, (long)(ns < 50000000 ? ns : 50000000)};

	set_fds(b, fds);
	if (ppoll(fds, FDS, &timeout, NULL) < 0)
		return errno == EINTR ? 0 : -errno;
	if (fds[USER].revents)
		pv_tap_serve(&b->tap);
	if (fds[TAP].revents)
		b->tap.fd = accept_one(b->tap_socket);
	if (!pv_serial_mux_move(&b->mux, fds[CLIENT].revents, fds[SERIAL].revents))
		return -EPROTO;
	if (fds[SSH].revents) {
		int client = accept_one(b->ssh_socket);

		if (client >= 0)
			pv_serial_mux_begin(&b->mux, client);
	}
	look_for_ready(b);
	int err = write_registers(b);
	return err ? err : serve_guest(b, fds[FABRIC].revents);
}

/* ---- setting up ---- */

static json_object *read_message(struct pv_error *e)
{
	json_object *msg = json_object_from_fd(STDIN_FILENO);

	if (!msg)
		pv_error(e, -EINVAL, "expected a message on standard input: %s", json_util_get_last_err());
	return msg;
}

static int open_hardware(struct board *b, json_object *msg, struct pv_error *e)
{
	const struct pv_hw_host host = {b, host_dma_map, host_msi, NULL};
	int err = pv_guest_parse(msg, &b->guest, e);

	if (!err)
		err = pv_hw_open(&b->hw, msg, &host, e);
	if (!err)
		err = pv_hw_booting(&b->hw);
	return err;
}

static int start_guest(struct board *b, json_object *msg, int serial, struct pv_error *e)
{
	struct pv_fabric_hello bridges;
	char append[512];
	struct pv_vm_conf conf = {.qemu = b->guest.qemu,
				  .kernel = b->guest.kernel,
				  .append = append,
				  .console = b->console,
				  .ram_bytes = b->guest.ram_bytes,
				  .window_bytes = WINDOW_BYTES,
				  .cpus = b->hw.topo->cpus,
				  .numa_nodes = b->hw.topo->numa_nodes,
				  .iommu = b->hw.topo->iommu,
				  .serial_fd = serial};
	int err = pv_guest_bridges(b->hw.topo, &bridges, e);

	if (!err)
		err = pv_guest_add_module(msg, b->hw.topo, &bridges, &b->guest, e);
	if (err)
		return err;
	snprintf(append, sizeof(append),
		 "console=ttyAMA0 quiet loglevel=5 panic=-1 pcie_port_pm=off pcieval.run=/bin/serve-ssh %s",
		 b->guest.append);
	memcpy(conf.archive, b->guest.archive, sizeof(conf.archive));
	err = pv_vm_start(&b->vm, &conf, &b->fabric, b->hw.model, e);
	b->fabric.hello = bridges;
	b->fabric.tick_ns = TICK_NS;
	b->host_ns = host_now();
	return err;
}

static int open_sockets(struct board *b, const char *folder, struct pv_error *e)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/ssh", folder);
	b->ssh_socket = pv_tap_listen(path);
	snprintf(path, sizeof(path), "%s/tap", folder);
	b->tap_socket = b->ssh_socket < 0 ? b->ssh_socket : pv_tap_listen(path);
	return b->tap_socket < 0 ? pv_error(e, b->tap_socket, "%s: %s", path, strerror(-b->tap_socket)) : 0;
}

static int start(struct board *b, const char *folder, json_object *msg, struct pv_error *e)
{
	int pair[2];

	*b = (struct board){.tap = {&b->hw, -1}, .fabric.fd = -1, .vm = PV_VM_NONE};
	snprintf(b->console, sizeof(b->console), "%s/console.txt", folder);
	snprintf(b->registers, sizeof(b->registers), "%s/registers", folder);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return pv_error(e, -errno, "socketpair: %s", strerror(errno));
	pv_serial_mux_init(&b->mux, pair[0]);
	int err = open_hardware(b, msg, e);
	if (!err)
		err = open_sockets(b, folder, e);
	if (!err)
		err = start_guest(b, msg, pair[1], e);
	close(pair[1]);
	return err;
}

int main(int argc, char **argv)
{
	static struct board b;
	struct pv_error e = {0};

	if (argc == 3 && !strcmp(argv[1], "--connect"))
		return connect_streams(argv[2]);
	json_object *msg = argc == 2 ? read_message(&e) : NULL;

	if (argc != 2)
		return fprintf(stderr, "usage: board-vm FOLDER <MESSAGE, or board-vm --connect SOCKET\n"),
		       PV_EXIT_USAGE;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	signal(SIGTERM, stop);
	signal(SIGINT, stop);
	signal(SIGUSR1, ask_registers);
	signal(SIGPIPE, SIG_IGN);
	int err = msg ? start(&b, argv[1], msg, &e) : e.code;
	while (!err && !stopped)
		err = serve_once(&b);
	pv_tap_hang_up(&b.tap);
	pv_vm_end(&b.vm);
	pv_fabric_close(&b.fabric);
	pv_hw_close(&b.hw);
	json_object_put(msg);
	if (err)
		fprintf(stderr, "board-vm: %s%s%s\n", e.text, *e.text ? ": " : "", strerror(-err));
	return err ? PV_EXIT_UNJUDGED : PV_EXIT_PASSED;
}
