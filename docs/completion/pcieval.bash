# SPDX-License-Identifier: GPL-2.0-or-later
# Completion of pcieval for bash; what can stand there is said by pcieval complete.

_pcieval() {
	local words=() word= glue= i
	# bash splits --name=plan/case[count=1] at each =; pcieval takes the word as it was typed.
	for ((i = 1; i <= COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} == = ]] || [[ -n $glue ]]; then
			((${#words[@]})) && words[-1]+=${COMP_WORDS[i]}
		else
			words+=("${COMP_WORDS[i]}")
		fi
		[[ ${COMP_WORDS[i]} == = ]] && glue=1 || glue=
	done
	word=${words[-1]}
	words[-1]=${word//[\'\"\\]/}
	local whole=${words[-1]} typed=${2//[\'\"\\]/} candidate
	local before=${whole%"$typed"}
	[[ $typed == = ]] && before=$whole
	COMPREPLY=()
	while IFS=$'\t' read -r candidate _; do
		case $candidate in
		:files)
			compopt -o filenames
			COMPREPLY+=($(compgen -f -- "$2"))
			;;
		:plans)
			compopt -o filenames
			COMPREPLY+=($(compgen -d -- "$2") $(compgen -f -X '!*.xml' -- "$2"))
			;;
		*)
			candidate=${candidate#"$before"}
			[[ $word == [\'\"]* ]] || printf -v candidate %q "$candidate"
			COMPREPLY+=("$candidate")
			[[ $candidate != */ ]] || compopt -o nospace
			;;
		esac
	done < <("${1/#\~/$HOME}" complete -- "${words[@]}" 2>/dev/null)
} 2>/dev/null
complete -F _pcieval pcieval
