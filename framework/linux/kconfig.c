/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The configuration of the running kernel: the MPS policy that it has without pci=pcie_bus_* on its command line. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drivers/regs/mps.h"
#include "framework/linux/internal.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"
#include "framework/util/spawn.h"

#define CONFIG_MAX (4u << 20) /* bytes; Debian's has 300 kB */

static bool has_line(const char *config, const char *line)
{
	for (const char *at = config; (at = strstr(at, line)); at++)
		if ((at == config || at[-1] == '\n') && (at[strlen(line)] == '\n' || !at[strlen(line)]))
			return true;
	return false;
}

/* The choice of drivers/pci/Kconfig; kernels that lack it have "default". NULL: not the configuration of a kernel. */
static const char *choice_of(const char *config)
{
	static const struct {
		const char *line;
		enum pv_mps_policy policy;
	} choices[] = {
		{"CONFIG_PCIE_BUS_TUNE_OFF=y", PV_MPS_TUNE_OFF},
		{"CONFIG_PCIE_BUS_SAFE=y", PV_MPS_SAFE},
		{"CONFIG_PCIE_BUS_PERFORMANCE=y", PV_MPS_PERFORMANCE},
		{"CONFIG_PCIE_BUS_PEER2PEER=y", PV_MPS_PEER2PEER},
		{"CONFIG_PCI=y", PV_MPS_DEFAULT},
	};

	for (size_t i = 0; i < ARRAY_SIZE(choices); i++)
		if (has_line(config, choices[i].line))
			return pv_mps_policy_word(choices[i].policy);
	return NULL;
}

/* A static program has no zlib: every board with a compressed configuration has zcat. */
static char *unpack(const char *path)
{
	const char *const argv[] = {"zcat", path, NULL};
	_autoclose_ int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int status;

	if (null < 0 || access(path, R_OK))
		return NULL;
	_autofree_ char *text =
		pv_spawn_output(&(struct pv_spawn){.argv = argv, .streams = {null, -1, null}, .end_signal = SIGTERM},
				CONFIG_MAX, &status);
	return text && !status ? steal(&text) : NULL;
}

/* Prints the policy and its file as a fact. False: there is no such file. */
static bool put_policy(FILE *out, const char *path, const char *config)
{
	const char *word = config ? choice_of(config) : NULL;

	if (word)
		fprintf(out, "MPS policy built in\t%s (%s)\n", word, path);
	return word;
}

void pv_linux_put_policy(struct pv_linux *l, FILE *out)
{
	static const char *const files[] = {"boot/config-%s", "lib/modules/%s/config"};
	static const char running[] = "proc/config.gz";
	_autofree_ char *unpacked = unpack(PV_LINUX_PATH(l, running));
	char release[64], path[128];
	bool found = put_policy(out, running, unpacked);

	if (found || pv_sysfs_read(PV_LINUX_PATH(l, "proc/sys/kernel/osrelease"), release, sizeof(release)) <= 0)
		return;
	for (size_t i = 0; !found && i < ARRAY_SIZE(files); i++) {
		_autofree_ char *config = NULL;
		size_t n;

		snprintf(path, sizeof(path), files[i], release);
		found = !pv_file_read(PV_LINUX_PATH(l, "%s", path), CONFIG_MAX, &config, &n, NULL) &&
			put_policy(out, path, config);
	}
}
