#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# embed.sh FILE SYMBOL: prints C source that holds a file, so that an installed pcieval needs none.
set -eu
printf '#include <stddef.h>\nextern const char %s[];\nextern const size_t %s_bytes;\nconst char %s[] = {\n' "$2" "$2" "$2"
od -An -v -tx1 "$1" | sed 's/ \([0-9a-f][0-9a-f]\)/(char)0x\1,/g'
printf '0};\nconst size_t %s_bytes = sizeof(%s) - 1;\n' "$2" "$2"
