# bash completion for copse.  Commands and options come from the program itself, so they are never out of date.

_copse_options() { # program, command
    "$1" help "$2" 2> /dev/null | sed -nE 's/^  (-[[:alnum:]], |    )(--[[:alnum:]-]+).*/\2/p'
    case $2 in fit | cv | tune | learn | stability) "$1" methods "$3" 2> /dev/null | sed -nE 's/^ *(--[[:alnum:]-]+).*/\1/p' ;; esac
}

_copse_method() { # the method named on the line so far, mondrian if none is; stability has one of its own
    local i
    [ "${COMP_WORDS[1]}" = stability ] && { echo bf; return; }
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in -m | --method) echo "${COMP_WORDS[i + 1]}"; return ;; esac
    done
    echo mondrian
}

# The value of an option as the help names it: "class|regress" offers both words, FILE offers files.
_copse_values() { # program, command, option
    local kind
    kind=$("$1" help "$2" 2> /dev/null |
        sed -nE "s/^  (-[[:alnum:]], +|    )($3) ([^ ]+) .*/\3/p; s/^  ($3), --[[:alnum:]-]+ ([^ ]+) .*/\2/p" | head -1)
    case $kind in
        *'|'*) tr '|' '\n' <<< "$kind" | grep -v '^[A-Z]*$' ;;
        METHOD | METHODS) "$1" methods 2> /dev/null | sed -nE 's/^  ?([a-z]+) .*/\1/p' ;;
    esac
}

_copse() {
    local program=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local command=${COMP_WORDS[1]} words
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="$("$program" help 2> /dev/null | sed -nE '/^start here/q; s/^  ([a-z]+) +[^ ].*/\1/p') --version --help"
    elif [ "$command" = help ]; then
        words=$("$program" help 2> /dev/null | sed -nE '/^start here/q; s/^  ([a-z]+) +[^ ].*/\1/p')
    elif [ "$command" = methods ] && [[ $current != -* ]]; then
        words=$("$program" methods 2> /dev/null | sed -nE 's/^  ?([a-z]+) .*/\1/p')
    elif [[ $current == -* ]]; then
        words=$(_copse_options "$program" "$command" "$(_copse_method)")
    elif [[ $previous == -* ]]; then
        words=$(_copse_values "$program" "$command" "$previous")
    fi
    # Nothing to offer: files, as bash does by default.
    [ -z "$words" ] || mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}

complete -o default -F _copse copse
