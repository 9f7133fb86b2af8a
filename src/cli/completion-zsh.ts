import type { CompletedCommand, CompletedOption, Value } from './completion-tree.ts'

/** Works as a file of $fpath, and when it is sourced after compinit. */
export const zshScript = (tree: readonly CompletedCommand[]): string => `#compdef vitrine
# Completion of vitrine for zsh; created by 'vitrine completion zsh'.

_vitrine_value_or_file() {
  compadd -- "$@"
  _files
}

${tree.map(functionOf).join('\n\n')}

if [[ $funcstack[1] == _vitrine ]]; then _vitrine "$@"; else compdef _vitrine vitrine; fi`

const nameOf = (path: string) => `_vitrine${path === '' ? '' : `_${path.replace(/\W/g, '_')}`}`

function functionOf({ path, subcommands, options, argument }: CompletedCommand): string {
  const specs = options.flatMap(optionSpecs)
  if (subcommands.length === 0) {
    const all = argument === undefined ? specs : [...specs, quoted(`*${valueSpec(argument)}`)]
    return `${nameOf(path)}() {\n  _arguments ${all.join(' \\\n    ')}\n}`
  }
  const names = subcommands.map(({ name, description }) => `    ${quoted(`${name}:${description}`)}`)
  const calls = subcommands
    .filter(({ name }) => name !== 'help')
    .map(({ name }) => `        (${name}) ${nameOf(`${path} ${name}`.trim())} ;;`)
  return `${nameOf(path)}() {
  local curcontext=$curcontext state line
  local -a commands=(
${names.join('\n')}
  )
  _arguments -C ${specs.join(' \\\n    ')} \\
    '1:command:->command' '*::argument:->argument'
  case $state in
    (command) _describe command commands ;;
    (argument)
      case $line[1] in
${calls.join('\n')}
      esac ;;
  esac
}`
}

/** One for each of its flags, of which one can be given. */
const optionSpecs = ({ flags, description, value }: CompletedOption): string[] =>
  flags.map((flag) => {
    const others = flags.length > 1 ? `(${flags.join(' ')})` : ''
    const sign = value !== undefined && flag.startsWith('--') ? '=' : ''
    const words = description.replace(/[\\[\]:]/g, '\\$&')
    return quoted(`${others}${flag}${sign}[${words}]${value === undefined ? '' : valueSpec(value)}`)
  })

function valueSpec({ name, values, isList, isFile }: Value): string {
  const words = values.map((value) => value.replaceAll(':', '\\:')).join(' ')
  return `:${name.replaceAll(':', '\\:')}:${action()}`

  function action(): string {
    if (isList) return `_sequence compadd - ${words}`
    if (isFile) return values.length === 0 ? '_files' : ` _vitrine_value_or_file ${words}`
    return values.length === 0 ? ' ' : `(${words})`
  }
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
