/** What bash and zsh share: the walk through the words before the current one. */
const walk = (rows: readonly string[]) => `
# Sets kind and values to those of a word ($2) after a command ($1), or fails; and names to the words before that in the table.
_vitrine_row() {
  local at word about
  names=() described=()
  while IFS='|' read -r at word kind values about; do
    [[ $at == "$1" ]] || continue
    [[ $word == "$2" ]] && return
    [[ $current == -* || $word != -* ]] && names+=("$word") described+=("$word:$about")
  done <<'END'
${rows.join('\n')}
END
  return 1
}

# Given the words before the current one, sets names, kind and values to what it may be.
_vitrine_follow() {
  local word command= option=
  for word; do
    if [[ -n $option ]]; then option=
    elif _vitrine_row "$command" "$word"; then
      case $kind in
        command) command=\${command:+$command }$word ;;
        flag) ;;
        *) option=$word ;;
      esac
    fi
  done
  if [[ -z $option && $current == --*=* ]]; then option=\${current%%=*} current=\${current#*=}; fi
  _vitrine_row "$command" "$option"
  if [[ -n $option ]]; then names=() described=()
  elif [[ $current == -* ]]; then kind=
  fi
}
`

/** For bash 4 and newer; it needs no package of completions. */
const bash = (rows: readonly string[]) => `# Completion of vitrine for bash; created by 'vitrine completion bash'.
${walk(rows)}
_vitrine() {
  local line=\${COMP_LINE:0:COMP_POINT} current kind values prefix= word i
  local -a words names described
  # Not COMP_WORDS, which is split at = and : as well.
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  current=\${words[\${#words[@]}-1]}
  _vitrine_follow "\${words[@]:1:\${#words[@]}-2}"
  [[ $kind == list && $current == *,* ]] && prefix=\${current%,*},
  COMPREPLY=($(compgen -W "\${names[*]} $values" -- "\${current#"$prefix"}"))
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

/** Works as a file of $fpath, and when it is sourced after compinit. */
const zsh = (rows: readonly string[]) => `#compdef vitrine
# Completion of vitrine for zsh; created by 'vitrine completion zsh'.
${walk(rows)}
_vitrine() {
  local current=$PREFIX kind values
  local -a names described
  _vitrine_follow "\${words[@]:1:$((CURRENT - 2))}"
  compset -P "\${(b)PREFIX%"$current"}"
  (($#described)) && _describe vitrine described
  if [[ $kind == list ]]; then compset -P '*,'; compadd -S '' -- \${=values}
  else compadd -- \${=values}
  fi
  if [[ $kind == file ]]; then _files; fi
}

if [[ $funcstack[1] == _vitrine ]]; then _vitrine "$@"; else compdef _vitrine vitrine; fi`

const fish = (rows: readonly string[]) => `# Completion of vitrine for fish; created by 'vitrine completion fish'.

set -g __vitrine_rows ${rows.map((row) => `'${row.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`).join(' \\\n  ')}

# Prints what the current word may be, with what it means.
function __vitrine
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l command ''
    set -l option ''
    for word in $words[2..]
        set -l row (string split '|' -- (string match -- "$command|$word|*" $__vitrine_rows))
        if test -n "$option"
            set option ''
        else if test "$row[3]" = command
            set command (string trim -- "$command $word")
        else if test -n "$row[3]" -a "$row[3]" != flag
            set option $word
        end
    end
    set -l prefix ''
    if test -z "$option"; and string match -q -- '--*=*' "$current"
        set option (string replace -r '=.*' '' -- $current)
        set prefix "$option="
        set current (string replace -r '[^=]*=' '' -- $current)
    end
    if test -z "$option"
        set -l first (string match -q -- '-*' "$current"; and echo -; or echo '[^-|]')
        string replace -rf '^[^|]*\\|('$first'[^|]*)\\|[^|]*\\|[^|]*\\|' '$1\\t' -- (string match -- "$command|*" $__vitrine_rows)
    end
    set -l row (string split '|' -- (string match -- "$command|$option|*" $__vitrine_rows))
    if test "$row[3]" = file
        string join \\n -- $prefix(__fish_complete_path $current)
    else if test "$row[3]" = list
        set prefix $prefix(string replace -r '[^,]*$' '' -- $current)
    end
    string join \\n -- $prefix(string split -n ' ' -- $row[4])
end

complete -c vitrine -f -a '(__vitrine)'`

/** Each completes from the same rows, and never starts vitrine. */
export const completionScripts = { bash, zsh, fish }
