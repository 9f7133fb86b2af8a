import type { CompletedCommand, CompletedOption, Value } from './completion-tree.ts'

export const fishScript = (
  tree: readonly CompletedCommand[],
): string => `# Completion of vitrine for fish; created by 'vitrine completion fish'.

# Prints the command that the words so far name, such as "key create".
function __vitrine_path
    set -l path
    set -l is_value 0
    set -l words (commandline -opc)
    set -e words[1]
    for word in $words
        if test $is_value = 1
            set is_value 0
        else if contains -- $word ${valuedFlags(tree).join(' ')}
            set is_value 1
        else if contains -- "$path $word" ${tree.map(({ path }) => quoted(path.includes(' ') ? path : ` ${path}`)).join(' ')}
            set path (string trim -- "$path $word")
        end
    end
    echo $path
end

function __vitrine_at
    set -l path (__vitrine_path)
    test "$path" = "$argv"
end

complete -c vitrine -f
${tree.flatMap(linesOf).join('\n')}`

const valuedFlags = (tree: readonly CompletedCommand[]) => [
  ...new Set(tree.flatMap(({ options }) => options.flatMap(({ flags, value }) => (value === undefined ? [] : flags)))),
]

function linesOf({ path, subcommands, options, argument }: CompletedCommand): string[] {
  const start = `complete -c vitrine -n ${quoted(`__vitrine_at ${path}`.trim())}`
  return [
    ...subcommands.map(({ name, description }) => `${start} -a ${quoted(name)} -d ${quoted(description)}`),
    ...options.map(
      (option) => `${start} ${flagsOf(option)}${valueFlags(option.value)} -d ${quoted(option.description)}`,
    ),
    ...(argument === undefined || (argument.values.length === 0 && !argument.isFile)
      ? []
      : [`${start}${argument.isFile ? ' -F' : ''}${candidates(argument)}`]),
  ]
}

const flagsOf = ({ flags }: CompletedOption): string =>
  flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`)).join(' ')

/** -x takes a value that is no file, -r -F one that may be. */
const valueFlags = (value: Value | undefined): string =>
  value === undefined ? '' : `${value.isFile ? ' -r -F' : ' -x'}${candidates(value)}`

function candidates({ values, isList }: Value): string {
  if (values.length === 0) return ''
  return ` -a ${quoted(isList ? `(__fish_append , ${values.join(' ')})` : values.join(' '))}`
}

const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
