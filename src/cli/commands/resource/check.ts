import { describeTool } from '../../../app.ts'
import { resourcesFolder } from '../../../config.ts'
import { estimatedTokens } from '../../../lib/estimated-tokens.ts'
import { type Fault, fault } from '../../../lib/fault.ts'
import { formatCount } from '../../../lib/format-count.ts'
import { adviceFor } from '../../../resources/declared/advice.ts'
import { compileDefinition } from '../../../resources/declared/compile.ts'
import type { Definition, FieldDefinition } from '../../../resources/declared/definition.ts'
import { checkDefinitions, describeFault, readDefinition, readFolder } from '../../../resources/declared/load.ts'
import { builtInOf } from '../../../resources/define.ts'
import { Command } from '../../command.ts'
import type { Context } from '../../context.ts'
import { ExitCode, UsageError } from '../../errors.ts'
import { heading, isJson, print, printJson, sanitize, verdict } from '../../terminal/output.ts'
import { mayShrink, printTable } from '../../terminal/table.ts'

interface FileReport {
  file: string
  faults: readonly Fault[]
  warnings: readonly Fault[]
  /** Undefined if there are faults. */
  view?: ResourceView
}

const HELP = `
It shows what clients will see: the operation, the tool with its arguments and tokens, and a response. It needs no database.
Exit code: 0 if the definitions can be used, even with warnings, 1 if one has a fault.`

export const check = ({ resources }: Context) =>
  new Command('check', 'check definitions, and show what clients will see of them')
    .argument('[file...]', 'the definitions (default: all in the folder RESOURCES)')
    .notes(HELP)
    .examples('resource check', 'resource check resources/orders.json')
    .withResult((paths: string[]) => {
      const files = paths.length > 0 ? paths.map(readDefinition) : readFolder(givenFolder())
      const reports = checkDefinitions(files, builtInOf(resources)).map(({ file, definition, faults }): FileReport => {
        if (definition === undefined || faults.length > 0) return { file, faults, warnings: [] }
        const view = viewOf(definition)
        return { file, faults, warnings: warningsOf(definition, view), view }
      })
      const isUsable = reports.every(({ faults }) => faults.length === 0)
      if (!isUsable) process.exitCode = ExitCode.failure
      if (isJson()) printJson({ ok: isUsable, files: reports.map(asJson) })
      else for (const report of reports) printReport(report)
    })

function givenFolder(): string {
  const folder = resourcesFolder(process.env)
  if (folder === '') throw new UsageError('RESOURCES is not set; set it to the folder with your definitions')
  return folder
}

/** More than the tool of the tasks takes. */
const MANY_TOKENS = 1000

const warningsOf = (definition: Definition, { tool: { tokens } }: ResourceView): Fault[] => [
  ...adviceFor(definition),
  ...fault(
    'tool',
    tokens > MANY_TOKENS &&
      `takes about ${tokens} tokens of every conversation; shorten descriptions, or remove filters`,
  ),
]

const asJson = ({ file, faults, warnings, view }: FileReport) => ({
  file,
  ok: faults.length === 0,
  faults: faults.map(({ field, problem }) => ({ member: field, problem })),
  warnings: warnings.map(({ field, problem }) => ({ member: field, problem })),
  resource: view ?? null,
})

function printReport({ file, faults, warnings, view }: FileReport): void {
  for (const fault of faults) print(`${verdict('failed')}  ${sanitize(describeFault(file, fault))}`)
  if (view === undefined) return
  print(`${verdict('ok')}  ${sanitize(file)}: ${view.name} is ${view.state === 'draft' ? 'a draft' : 'published'}`)
  for (const warning of warnings) print(`${verdict('warning')}  ${sanitize(describeFault(file, warning))}`)
  printView(view)
  print('')
}

type ResourceView = ReturnType<typeof viewOf>

/** What a declared resource looks like to scripts, agents and the operator. */
function viewOf(definition: Definition) {
  const resource = compileDefinition(definition)
  const { name, path, permission, description, example, list } = resource
  const { state, fields, singular } = definition
  const tool = describeTool(resource)
  const limit = list?.limit ?? 0
  return {
    ...{ name, state },
    operation: { method: 'GET', path, permission, description, limit, fields },
    tool: { ...tool, tokens: estimatedTokens(JSON.stringify(tool)) },
    response: example,
    commands: ['import', 'sync', 'list', 'show', 'delete'].map((verb) => `vitrine ${singular} ${verb}`),
  }
}

function printView({ name, operation, tool, response, commands }: ResourceView): void {
  const { method, path, permission, limit, fields } = operation
  section(`${method} ${path}`, `needs ${permission}, and returns at most ${limit} ${name}`)
  printTable(Object.entries(fields), {
    FIELD: ([field]) => field,
    TYPE: ([, field]) => typeText(field),
    DESCRIPTION: mayShrink(([, { description }]) => description),
  })
  section(`Tool ${tool.name}`, `about ${formatCount(tool.tokens)} tokens`)
  print(sanitize(tool.description))
  printTable(Object.entries(tool.inputSchema.properties), {
    ARGUMENT: ([argument]) => argument,
    TYPE: ([, { type }]) => [type ?? []].flat().join(' or '),
    DESCRIPTION: mayShrink(([, { description = '' }]) => description),
  })
  section('Response', 'with the example')
  print(JSON.stringify(response, null, 2).split('\n').map(sanitize).join('\n'))
  section('Commands', commands.join(', '))
}

const section = (title: string, about: string): void => print(`\n${heading(title)}: ${about}`)

function typeText({ type, nullable, maxLength, maxItems, minimum, maximum, values }: FieldDefinition): string {
  return [
    `${type}${nullable ? ' or null' : ''}`,
    ...(values === undefined ? [] : [values.join(' | ')]),
    ...(maxItems === undefined ? [] : [`at most ${maxItems} items`]),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(minimum === undefined ? [] : [`from ${minimum}`]),
    ...(maximum === undefined ? [] : [`to ${maximum}`]),
  ].join(', ')
}
