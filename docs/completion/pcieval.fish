# SPDX-License-Identifier: GPL-2.0-or-later
# Completion of pcieval for fish; what can stand there is said by pcieval complete.

function __fish_pcieval
    set -l words (commandline -opc)
    set -l word (commandline -ct | string unescape)
    for line in ($words[1] complete -- $words[2..] "$word" 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path (commandline -ct)
            case :plans
                __fish_complete_suffix .xml
            case '*'
                echo $line
        end
    end
end
complete -c pcieval -f -a '(__fish_pcieval)'
