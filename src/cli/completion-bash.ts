import type { CompletedCommand, Value } from './completion-tree.ts'

/** For bash 4 and newer; it needs no package of completions. */
export function bashScript(tree: readonly CompletedCommand[]): string {
  return `# Completion of vitrine for bash; created by 'vitrine completion bash'.

# Which command the words so far name, or fails.
_vitrine_is_command() {
  case $1 in
    ${patterns(tree.map(({ path }) => path).filter((path) => path !== ''))}) ;;
    *) return 1 ;;
  esac
}

# Sets values and kind to what an option takes; fails if it takes nothing.
_vitrine_option() {
  values= kind=
  case $1 in
${optionCases(tree)}
    *) return 1 ;;
  esac
}

# Sets values and kind to what can follow a command, and options.
_vitrine_command() {
  values= kind= options=
  case $1 in
${tree.map(commandCase).join('\n')}
  esac
}

_vitrine() {
  local line=\${COMP_LINE:0:COMP_POINT} path= option= values= kind= options= word current prefix= i
  local -a words
  # Not COMP_WORDS, which is split at = and : as well.
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  current=\${words[\${#words[@]}-1]}
  for word in "\${words[@]:1:\${#words[@]}-2}"; do
    if [[ -n $option ]]; then option=
    elif _vitrine_option "$path $word"; then option=$word
    elif _vitrine_is_command "\${path:+$path }$word"; then path=\${path:+$path }$word
    fi
  done
  if [[ -z $option && $current == --*=* ]]; then option=\${current%%=*} current=\${current#*=}; fi
  if [[ -n $option ]]; then _vitrine_option "$path $option" || return 0
  else
    _vitrine_command "$path"
    [[ $current == -* ]] && values=$options kind=
  fi
  [[ $kind == list && $current == *,* ]] && prefix=\${current%,*},
  COMPREPLY=($(compgen -W "$values" -- "\${current#"$prefix"}"))
  # What bash replaces begins after the last colon, if colons divide words.
  [[ $COMP_WORDBREAKS == *:* && $current == *:* ]] && current=\${current%"\${current##*:}"} || current=
  for i in "\${!COMPREPLY[@]}"; do
    word=$prefix\${COMPREPLY[i]}
    COMPREPLY[i]=\${word#"$current"}
  done
  case $kind in
    list) compopt -o nospace ;;
    file) ((\${#COMPREPLY[@]})) || compopt -o default ;;
  esac
  return 0
}

complete -F _vitrine vitrine`
}

function optionCases(tree: readonly CompletedCommand[]): string {
  const byOutcome = new Map<string, string[]>()
  for (const { path, options } of tree)
    for (const { flags, value } of options)
      for (const flag of value === undefined ? [] : flags) {
        const outcome = value === undefined ? '' : assignments(value)
        byOutcome.set(outcome, [...(byOutcome.get(outcome) ?? []), `${path} ${flag}`])
      }
  return [...byOutcome].map(([outcome, words]) => `    ${patterns(words)}) ${outcome};;`).join('\n')
}

function commandCase({ path, subcommands, options, argument }: CompletedCommand): string {
  const words = [...subcommands.map(({ name }) => name), ...(argument?.values ?? [])]
  const flags = options.flatMap((option) => option.flags)
  return `    ${quoted(path)}) ${assignments({ values: words, isList: false, isFile: argument?.isFile ?? false })}options=${quoted(flags.join(' '))} ;;`
}

function assignments({ values, isList, isFile }: Pick<Value, 'values' | 'isList' | 'isFile'>): string {
  const kind = isList ? 'kind=list ' : isFile ? 'kind=file ' : ''
  return `${values.length === 0 ? '' : `values=${quoted(values.join(' '))} `}${kind}`
}

const patterns = (words: readonly string[]) => words.map(quoted).join(' | ')
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
