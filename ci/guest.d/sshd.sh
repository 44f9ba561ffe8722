# SPDX-License-Identifier: GPL-2.0-or-later
# ci/guest: OpenSSH's server behind a serial port, for a guest that tests use as a board.

ssh_server() {
	found=$(remembered sshd find_sshd)
	made sshd "$({ echo "$found" && recipe sshd.sh programs.sh pack.sh && cat "$recipes/relay.c" "$recipes/serve-ssh"; } | digest)" make_sshd
}

find_sshd() {
	"$here/foreign" "$(suites_of 6.12)" arm64 version openssh-server
}

make_sshd() {
	need cpio ${cross}gcc
	say "sshd: fetching openssh-server $found and its libraries, 25 MB"
	unpack_with_libraries "$1" "$(suites_of 6.12)" "openssh-server=$found"
	pick_program "$1/all" "$1/root" sbin/sshd
	mkdir "$1/root/bin"
	${cross}gcc -O2 -Wall -static -s -o "$1/root/bin/relay" "$recipes/relay.c"
	cp "$recipes/serve-ssh" "$1/root/bin"
	chmod 755 "$1/root/bin/serve-ssh"
	pack "$1/root" "$1/sshd.cpio" .
	rm -rf "$1/all" "$1/root"
}
