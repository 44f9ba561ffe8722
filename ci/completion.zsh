# SPDX-License-Identifier: GPL-2.0-or-later
# What zsh offers for a line: completion.zsh FOLDER LINE. A second zsh, on a terminal of its own, is sent the line and a
# tab; it prints what compadd was given between two marks.
zmodload zsh/zpty
zpty pcieval zsh -f -i
zpty -w pcieval "PS1= PS2= RPS1=; stty -echo; fpath=($1 \$fpath); autoload -Uz compinit; compinit -D -u
compadd() {
	local -a offered
	local -a args=(\"\$@\")
	if [[ \${args[(r)-[OAD]]} = -* ]]; then builtin compadd \"\$@\"; return; fi
	builtin compadd -O offered \"\$@\"
	print -rl -- \$offered >>$PWD/zsh-offered
	builtin compadd \"\$@\"
}
done-with() { print done >$PWD/zsh-done }
zle -N done-with; bindkey '^X' done-with; setopt no_always_last_prompt; LISTMAX=10000
print ready >$PWD/zsh-ready"
waits() { local i; for ((i = 0; i < 200; i++)); do [[ -s $1 ]] && return; zpty -r -t pcieval line; sleep 0.05; done }
rm -f zsh-offered zsh-done zsh-ready
waits zsh-ready
zpty -w -n pcieval "$2"$'\t\x18'
waits zsh-done
[[ -e zsh-offered ]] && cat zsh-offered
zpty -d pcieval
