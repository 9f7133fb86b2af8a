# Prints the words that may follow a command, or an option that takes a value, with descriptions; fails for an unknown command or option.
function __vitrine_next
    switch $argv[1]
{table}
        case '*'
            return 1
    end
end

function __vitrine
    set -l command vitrine
    set -l option ''
    for word in (commandline -opc)[2..]
        if test -n "$option"
            set option ''
        else if __vitrine_next "$command $word" > /dev/null
            string match -q -- '-*' $word; and set option " $word"; or set command "$command $word"
        end
    end
    set -l current (commandline -ct)
    set -l words (__vitrine_next "$command$option")
    string match -q -- '-*' "$current"; or set words (string match -v -- '-*' $words)
    string match -q -- "$current*" $words; and string join \n -- $words; or __fish_complete_path $current
end

complete -c vitrine -f -a '(__vitrine)'
