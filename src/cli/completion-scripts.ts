/** The words that may follow a command, or an option with a value such as `vitrine member add --role`. */
export interface Completion {
  after: string
  words: { word: string; about: string }[]
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** zsh runs these bash functions too. They do not need the bash-completion package. */
const functions = (table: readonly Completion[]) => `
# Prints the words that may follow a command, or an option that takes a value; fails for an unknown command or option.
_vitrine_next() {
  case $1 in
${table.map(({ after, words }) => `    ${quoted(after)}) echo ${quoted(words.map(({ word }) => word).join(' '))} ;;`).join('\n')}
    *) return 1 ;;
  esac
}

_vitrine() {
  local command=vitrine option= word current=\${COMP_WORDS[COMP_CWORD]} hidden=
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
    if [[ -n $option ]]; then option=
    elif _vitrine_next "$command $word" > /dev/null; then
      if [[ $word == -* ]]; then option=" $word"; else command="$command $word"; fi
    fi
  done
  [[ $current == -* ]] || hidden='-*'
  COMPREPLY=($(compgen -W "$(_vitrine_next "$command$option")" -X "$hidden" -- "$current"))
}

complete -o default -F _vitrine vitrine`

const bash = (table: readonly Completion[]) =>
  `# Completion of vitrine for bash; created by 'vitrine completion bash'.\n${functions(table)}`

/** Works as a file in $fpath, and when sourced after compinit. */
const zsh = (table: readonly Completion[]) => `#compdef vitrine
# Completion of vitrine for zsh; created by 'vitrine completion zsh'.
autoload -U +X bashcompinit && bashcompinit
${functions(table)}
if [[ $funcstack[1] == _vitrine ]]; then _bash_complete -o default -F _vitrine; fi`

const fishQuoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

const fish = (table: readonly Completion[]) => `# Completion of vitrine for fish; created by 'vitrine completion fish'.

# Prints the words that may follow a command, or an option that takes a value, with descriptions; fails for an unknown command or option.
function __vitrine_next
    switch $argv[1]
${table
  .map(({ after, words }) => {
    const lines = words.map(({ word, about }) => fishQuoted(about === '' ? word : `${word}\t${about}`))
    return `        case ${fishQuoted(after)}\n            string join \\n -- ${lines.join(' ')}; or true`
  })
  .join('\n')}
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
    string match -q -- "$current*" $words; and string join \\n -- $words; or __fish_complete_path $current
end

complete -c vitrine -f -a '(__vitrine)'`

export const completionScripts = { bash, zsh, fish }
