# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by the tests that use the stand-in: a board that ssh reaches as `guest`, a guest with OpenSSH's server whose hardware is the
# models (framework/tests/board). The caller has set $pcieval, $board_vm and its working directory, the source tree.
# With KEEP set the files stay; with $archive set the guest has that archive, too.

# need_guest: sets qemu, kernel, base, sshd, module, far; skips the test, with the command that helps, when something is not built.
need_guest() {
	qemu=$(ci/qemu --cached 2>/dev/null) && kernel=$(ci/guest --cached fast 2>/dev/null) && base=$(ci/guest --cached base 2>/dev/null) &&
		sshd=$(ci/guest --cached sshd 2>/dev/null) && module=$(ci/guest --cached module fast 2>/dev/null) && far=$(ci/guest far) || {
		echo "no QEMU or no guest: ci/qemu; for part in fast base far sshd 'module fast'; do ci/guest \$part; done"
		exit 77
	}
	[ -x /usr/bin/ssh ] || { echo "no openssh-client"; exit 77; }
	work=$(mktemp -d)
	running=
	trap 'stop_board; [ -n "${KEEP:-}" ] || rm -rf "$work"' EXIT
	trap 'exit 1' INT TERM
	make_keys
}

fail() {
	echo "$(basename "$0"): $*"
	exit 1
}

# Keys of the test's own, with the configuration of the guest's kernel, and a configuration that ssh takes for the user's. ProxyCommand hands the connection over.
make_keys() {
	mkdir -p "$work/root/etc/ssh" "$work/root/boot" "$work/bin" "$work/run"
	cp "$kernel/config" "$work/root/boot/config-$(cat "$kernel/release")"
	ssh-keygen -q -t ed25519 -N '' -C test -f "$work/root/etc/ssh/host_key"
	ssh-keygen -q -t ed25519 -N '' -C test -f "$work/key"
	cp "$work/key.pub" "$work/root/etc/ssh/authorized_keys"
	echo "guest $(cat "$work/root/etc/ssh/host_key.pub")" >"$work/known"
	(cd "$work/root" && find . | cpio --quiet -o -H newc -R 0:0) >"$work/keys.cpio"
	cat >"$work/config" <<-END
		Host guest
		User root
		IdentityFile $work/key
		IdentitiesOnly yes
		UserKnownHostsFile $work/known
		StrictHostKeyChecking yes
		Compression yes
		ProxyCommand $board_vm --connect $work/guest/ssh
	END
	printf '#!/bin/sh\nexec /usr/bin/ssh -F %s "$@"\n' "$work/config" >"$work/bin/ssh"
	chmod +x "$work/bin/ssh"
	export PATH="$work/bin:$PATH" XDG_RUNTIME_DIR="$work/run" PCIEVAL_FAR="$far/pcieval-far"
}

# argument_of POLICY: what the kernel is told to boot with it.
argument_of() {
	case $1 in
	tune_off) echo pci=pcie_bus_tune_off ;;
	safe) echo pci=pcie_bus_safe ;;
	performance) echo pci=pcie_bus_perf ;;
	peer2peer) echo pci=pcie_bus_peer2peer ;;
	esac
}

# start_board CASE [POLICY]: a board with the topology and seed of the case (a file, a line of `list --json`), booted with this MPS policy. False:
# there cannot be one, and board-vm has said why.
start_board() {
	rm -rf "$work/guest"
	mkdir "$work/guest"
	[ -n "${vouch+given}" ] || vouch='<vouch function="all"/>'
	cat >"$work/guest/board.xml" <<-END
		<board name="standin"><tap socket="tap"/>$vouch<writes/></board>
	END
	jq -c '{topology, seed, defects, guest: {append: $ARGS.positional[0], qemu: $ARGS.positional[1], kernel: $ARGS.positional[2],
		module: $ARGS.positional[3], archives: $ARGS.positional[4:]}}' --args "$(argument_of "${2:-}")" "$qemu" \
		"$kernel/Image" "$module/module.cpio" "$base/base.cpio" "$kernel/modules.cpio" "$sshd/sshd.cpio" "$work/keys.cpio" ${archive:+"$archive"} <"$1" >"$work/message"
	mkfifo "$work/says" 2>/dev/null || true
	"$board_vm" "$work/guest" <"$work/message" >"$work/says" &
	running=$!
	# A driver can hang in its probe, and the guest's programs are started after that.
	[ "$(timeout 120 head -n 1 "$work/says")" = ready ] || {
		[ ! -e "$work/guest/console.txt" ] || cat "$work/guest/console.txt"
		stop_board
		return 1
	}
}

stop_board() {
	[ -n "$running" ] || return 0
	kill "$running" 2>/dev/null || true
	wait "$running" || true
	running=
}
