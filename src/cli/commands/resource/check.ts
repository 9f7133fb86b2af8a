import { describeTool } from '../../../app.ts'
import { resourcesFolder } from '../../../config.ts'
import { StorageError } from '../../../database/errors.ts'
import { type Fault, fault } from '../../../lib/fault.ts'
import { formatCount } from '../../../lib/format-count.ts'
import { UserError } from '../../../lib/user-error.ts'
import { compileDefinition, placedResource } from '../../../resources/declared/compile.ts'
import type { Definition } from '../../../resources/declared/definition.ts'
import {
  checkDefinitions,
  type DefinitionFile,
  describeFault,
  readDefinition,
  readFolder,
} from '../../../resources/declared/load.ts'
import { builtInOf, type Resource } from '../../../resources/define.ts'
import { Command } from '../../command.ts'
import { type Context, tableOpener } from '../../context.ts'
import { ExitCode, messageOf, UsageError } from '../../errors.ts'
import { isJson, print, printJson, sanitize, verdicts } from '../../terminal/output.ts'

interface FileReport {
  file: string
  faults: readonly Fault[]
  warnings: readonly Fault[]
  /** Undefined if there are faults. */
  view?: ResourceView
}

const HELP = `
It shows the operation and the tool with its tokens; --json adds the fields, the arguments and a response. It needs no database, except that
of a list that is read in place, whose table it compares with the definition.
Exit code: 0 if the definitions can be used, even with warnings, 1 if one has a fault.`

export const check = ({ resources }: Context) =>
  new Command('check', 'check definitions, and show what clients will see of them')
    .argument('[file...]', 'the definitions (default: all in the folder RESOURCES)')
    .notes(HELP)
    .examples('resource check', 'resource check resources/orders.json')
    .withResult(async (paths: string[]) => {
      const files = paths.length > 0 ? paths.map(readDefinition) : readFolder(givenFolder())
      const openDatabase = await tableOpener()
      const builtIn = builtInOf(resources)
      const report = async ({ file, definition, placement, faults }: DefinitionFile): Promise<FileReport> => {
        const placed = builtIn.find(({ name }) => name === placement?.name)
        if (faults.length > 0) return { file, faults, warnings: [] }
        if (placed !== undefined && placement !== undefined)
          return { file, ...(await examineTable(placedResource(placed, placement.rows, openDatabase))) }
        if (definition === undefined) return { file, faults, warnings: [] }
        const table = await examineTable(compileDefinition(definition, file, openDatabase))
        const view = viewOf(definition)
        return {
          file,
          ...table,
          warnings: [...warningsOf(view), ...table.warnings],
          ...(table.faults.length === 0 && { view }),
        }
      }
      const reports = await Promise.all(checkDefinitions(files, builtIn).map(report))
      const isUsable = reports.every(({ faults }) => faults.length === 0)
      if (!isUsable) process.exitCode = ExitCode.failure
      if (isJson()) printJson({ ok: isUsable, files: reports.map(asJson) })
      else for (const report of reports) printReport(report)
    })

/** The faults and warnings are by field, or by member of `rows`. */
async function examineTable({ list, inPlace }: Resource): Promise<Pick<FileReport, 'faults' | 'warnings'>> {
  const setting = list?.rows?.database
  if (inPlace === undefined || setting === undefined) return { faults: [], warnings: [] }
  if (!process.env[setting] && !process.env[`${setting}_FILE`])
    return { faults: [], warnings: fault('rows.database', `${setting} is not set here, so the table was not examined`) }
  try {
    return await inPlace.examine()
  } catch (error) {
    if (!(error instanceof StorageError || error instanceof UserError)) throw error
    return { faults: fault('rows.database', messageOf(error)), warnings: [] }
  }
}

function givenFolder(): string {
  const folder = resourcesFolder(process.env)
  if (folder === '') throw new UsageError('RESOURCES is not set; set it to the folder with your definitions')
  return folder
}

/** More than the tool of the tasks takes. */
const MANY_TOKENS = 1000

const warningsOf = ({ tool: { tokens } }: ResourceView): Fault[] =>
  fault(
    'tool',
    tokens > MANY_TOKENS &&
      `takes about ${tokens} tokens of every conversation; shorten descriptions, or remove filters`,
  )

const asJson = ({ file, faults, warnings, view }: FileReport) => ({
  file,
  ok: faults.length === 0,
  faults: faults.map(({ field, problem }) => ({ member: field, problem })),
  warnings: warnings.map(({ field, problem }) => ({ member: field, problem })),
  resource: view ?? null,
})

function printReport({ file, faults, warnings, view }: FileReport): void {
  for (const fault of faults) print(`${verdicts.failed}  ${sanitize(describeFault(file, fault))}`)
  if (view !== undefined)
    print(`${verdicts.ok}  ${sanitize(file)}: ${view.name} is ${view.state === 'draft' ? 'a draft' : 'published'}`)
  for (const warning of warnings) print(`${verdicts.warning}  ${sanitize(describeFault(file, warning))}`)
  if (view !== undefined) printView(view)
}

type ResourceView = ReturnType<typeof viewOf>

/** English and JSON have about four bytes per token. Models' vocabularies differ, so none is shipped. */
const BYTES_PER_TOKEN = 4

/** What a declared resource looks like to scripts, agents and the operator. */
function viewOf(definition: Definition) {
  const resource = compileDefinition(definition)
  const { name, path, permission, description, example, list } = resource
  const { state, fields } = definition
  const tool = describeTool(resource)
  const limit = list?.limit ?? 0
  return {
    ...{ name, state },
    operation: { method: 'GET', path, permission, description, limit, fields },
    tool: { ...tool, tokens: Math.ceil(Buffer.byteLength(JSON.stringify(tool)) / BYTES_PER_TOKEN) },
    response: example,
  }
}

function printView({ name, operation, tool }: ResourceView): void {
  const { method, path, permission, limit } = operation
  print(`  ${method} ${path}: needs ${permission}, and returns at most ${limit} ${name}`)
  print(`  Tool ${tool.name}: about ${formatCount(tool.tokens)} tokens; ${sanitize(tool.description)}`)
}
