#compdef copse
# zsh completion for copse.  Commands and options come from the program itself, so they are never out of date.

local program=${words[1]} command=${words[2]} previous=${words[CURRENT-1]} method=mondrian kind
local -a found
local i

if (( CURRENT == 2 )) || [[ $command == help ]]; then
    found=(${(f)"$($program help 2>/dev/null | sed -nE '/^start here/q; s/^  ([a-z]+) +([^ ].*)/\1:\2/p')"})
    _describe command found
    return
fi

[[ $command == stability ]] && method=bf
for (( i = 2; i < CURRENT; i++ )); do
    [[ ${words[i]} == (-m|--method) ]] && method=${words[i+1]}
done

if [[ $command == methods && ${words[CURRENT]} != -* ]]; then
    found=(${(f)"$($program methods 2>/dev/null | sed -nE 's/^  ?([a-z]+) .*/\1/p')"})
    compadd -a found
elif [[ ${words[CURRENT]} == -* ]]; then
    # "name:meaning" for _describe; a colon inside the meaning is escaped.
    found=(${(f)"$($program help $command 2>/dev/null |
        sed -nE 's/^  (-[[:alnum:]], |    )(--[[:alnum:]-]+)[^ ]*( [^ ]+)? +(.*)/\2\t\4/p' | sed 's/:/\\:/g' | tr '\t' ':')"})
    if [[ $command == (fit|cv|tune|learn|stability) ]]; then
        found+=(${(f)"$($program methods $method 2>/dev/null | sed -nE 's/^ *(--[[:alnum:]-]+).*/\1/p')"})
    fi
    _describe option found
else
    kind=$($program help $command 2>/dev/null |
        sed -nE "s/^  (-[[:alnum:]], +|    )($previous) ([^ ]+) .*/\3/p; s/^  ($previous), --[[:alnum:]-]+ ([^ ]+) .*/\2/p" | head -1)
    case $kind in
        (METHOD|METHODS)
            found=(${(f)"$($program methods 2>/dev/null | sed -nE 's/^  ?([a-z]+) .*/\1/p')"})
            compadd -a found ;;
        (*'|'*) found=(${(s:|:)kind}); compadd -a found ;;
        (*) _files ;;
    esac
fi
