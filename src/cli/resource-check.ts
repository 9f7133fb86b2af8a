import { readSetting } from '../config.ts'
import { type FieldError, fault } from '../lib/checker.ts'
import { adviceFor } from '../resources/declared/advice.ts'
import type { Definition } from '../resources/declared/definition.ts'
import { checkDefinitions, describeFault, readDefinition, readFolder } from '../resources/declared/load.ts'
import { builtInOf } from '../resources/define.ts'
import { Command } from './command.ts'
import type { Context } from './context.ts'
import { ExitCode, UsageError } from './errors.ts'
import { print, printJson, sanitize, verdict } from './output.ts'
import { printView, type ResourceView, viewOf } from './resource-view.ts'

interface Report {
  file: string
  faults: readonly FieldError[]
  warnings: readonly FieldError[]
  /** Undefined if there are faults. */
  view?: ResourceView
}

const HELP = `
It shows what clients will see: the operation, the tool with its arguments and tokens, and a response. It needs no database.
Exit code: 0 if the definitions can be used, even with warnings, 1 if one has a fault.`

export const check = ({ resources }: Context) =>
  new Command('check')
    .description('check definitions, and show what clients will see of them')
    .argument('[file...]', 'the definitions (default: all in the folder RESOURCES)')
    .option('--json', 'print the result as one JSON document')
    .notes(HELP)
    .examples('resource check', 'resource check resources/orders.json')
    .action((paths: string[], { json }: { json?: true }) => {
      const builtIn = builtInOf(resources)
      const files = paths.length > 0 ? paths.map(readDefinition) : readFolder(givenFolder())
      const reports = checkDefinitions(files, builtIn).map(({ file, definition, faults }): Report => {
        if (definition === undefined || faults.length > 0) return { file, faults, warnings: [] }
        const view = viewOf(definition)
        return { file, faults, warnings: warningsOf(definition, view), view }
      })
      const isUsable = reports.every(({ faults }) => faults.length === 0)
      if (!isUsable) process.exitCode = ExitCode.failure
      if (json) printJson({ ok: isUsable, files: reports.map(asJson) })
      else for (const report of reports) printReport(report)
    })

function givenFolder(): string {
  const folder = readSetting(process.env, 'RESOURCES')
  if (folder === '') throw new UsageError('RESOURCES is not set; set it to the folder with your definitions')
  return folder
}

/** More than the tool of the tasks takes. */
const MANY_TOKENS = 1000

const warningsOf = (definition: Definition, { tool: { tokens } }: ResourceView): FieldError[] => [
  ...adviceFor(definition),
  ...fault(
    'tool',
    tokens > MANY_TOKENS &&
      `takes about ${tokens} tokens of every conversation; shorten descriptions, or remove filters`,
  ),
]

const asJson = ({ file, faults, warnings, view }: Report) => ({
  file,
  ok: faults.length === 0,
  faults: faults.map(({ field, problem }) => ({ member: field, problem })),
  warnings: warnings.map(({ field, problem }) => ({ member: field, problem })),
  resource: view ?? null,
})

function printReport({ file, faults, warnings, view }: Report): void {
  for (const fault of faults) print(`${verdict('failed')}  ${sanitize(describeFault(file, fault))}`)
  if (view === undefined) return
  print(`${verdict('ok')}  ${sanitize(file)}: ${view.name} is ${view.state === 'draft' ? 'a draft' : 'published'}`)
  for (const warning of warnings) print(`${verdict('warning')}  ${sanitize(describeFault(file, warning))}`)
  printView(view)
  print('')
}
