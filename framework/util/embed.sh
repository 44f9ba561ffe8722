#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# embed.sh FILE SYMBOL: prints C source that holds a file, so that an installed pcieval needs none; and as
# SYMBOL_sha256 the digest of the file, in the base64 that a Content-Security-Policy wants.
set -eu
printf '#include <stddef.h>\nextern const char %s[];\nextern const size_t %s_bytes;\nconst char %s[] = {\n' "$2" "$2" "$2"
od -An -v -tx1 "$1" | sed 's/ \([0-9a-f][0-9a-f]\)/(char)0x\1,/g'
printf '0};\nconst size_t %s_bytes = sizeof(%s) - 1;\n' "$2" "$2"
octal=$(sha256sum "$1" | cut -c 1-64 | awk '
	function digit(c) { return index("0123456789abcdef", c) - 1 }
	{ for (i = 1; i <= 64; i += 2) printf "\\%03o", 16 * digit(substr($0, i, 1)) + digit(substr($0, i + 1, 1)) }')
# shellcheck disable=SC2059 # the bytes are the format
printf 'extern const char %s_sha256[];\nconst char %s_sha256[] = "%s";\n' "$2" "$2" "$(printf "$octal" | base64)"
