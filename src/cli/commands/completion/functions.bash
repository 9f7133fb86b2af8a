# Prints the words that may follow a command, or an option that takes a value; fails for an unknown command or option.
_vitrine_next() {
  case $1 in
{table}
    *) return 1 ;;
  esac
}

_vitrine() {
  local command=vitrine option= word current=${COMP_WORDS[COMP_CWORD]} hidden=
  for word in "${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
    if [[ -n $option ]]; then option=
    elif _vitrine_next "$command $word" > /dev/null; then
      if [[ $word == -* ]]; then option=" $word"; else command="$command $word"; fi
    fi
  done
  [[ $current == -* ]] || hidden='-*'
  COMPREPLY=($(compgen -W "$(_vitrine_next "$command$option")" -X "$hidden" -- "$current"))
}

complete -o default -F _vitrine vitrine
