import { fstatSync, type Stats } from 'node:fs'
import { open } from 'node:fs/promises'
import { Command } from 'commander'
import { importedColumns, isRequired, type Table } from '../database/table.ts'
import type { Place } from '../import/frame.ts'
import { counted, importRecords } from '../import/import-records.ts'
import { formatCount } from '../lib/format-count.ts'
import { UserError } from '../lib/user-error.ts'
import { actor, type Context, isoNow } from './context.ts'
import { printJson, printMessage } from './output.ts'
import { Progress } from './progress.ts'

const LONGEST_COMPLAINT = 1000

export const importCommand = ({ withStore }: Context, table: Table, path: string) =>
  new Command('import')
    .description(`bring ${table.name} into a workspace: all of the file, or nothing if any of it is bad`)
    .argument('<file>', 'NDJSON, a JSON array or CSV, detected by how it begins; - reads stdin')
    .requiredOption('--workspace <slug>', 'the workspace')
    .option('--json', `print how many ${table.name} were created and replaced, as JSON`)
    .addHelpText('after', () => help(table, path))
    .action(async (file: string, { workspace, json }: { workspace: string; json?: true }) => {
      const progress = new Progress(process.stderr)
      const listener = {
        onBadRecord: (place: Place, problems: string[]) => {
          progress.clear()
          printMessage(complaint(place, problems))
        },
        onProgress: (bytesRead: number, recordsRead: number) => progress.show(bytesRead, recordsRead),
        onStoring: () => progress.finish('storing them …'),
      }
      const chunks = chunksOf(file, (sizeBytes) => progress.expect(sizeBytes))
      const counts = await withStore((store) =>
        importRecords(store, table, workspace, chunks, actor(), isoNow, listener),
      ).finally(() => progress.clear())
      if (json) return printJson(counts)
      printMessage(summary(table, workspace, counts))
    })

function help(table: Table, path: string): string {
  const { name, singular } = table
  const columns = importedColumns(table)
  const added = columns
    .filter(({ isHidden }) => isHidden)
    .map(({ field, choices }) => (choices === undefined ? field : `${field} (${choices.join(', ')})`))
  const required = columns.filter(isRequired).map(({ field }) => field)
  const defaults = columns.flatMap((column) =>
    column.default === undefined ? [] : `, and the ${column.field} is ${column.default}`,
  )
  const words = `A record has the fields of a ${singular} as 'GET ${path}' answers them${added.length === 0 ? '' : `, and may add ${listed(added)}`}. Only
    ${listed(required)} ${required.length === 1 ? 'is' : 'are'} required. It replaces the whole ${singular} of its id: what it
    leaves out, or gives as null, is emptied${defaults.join('')}. A CSV file begins with a row of field names.`
  return `
${wrapped(words)}

Examples:
  vitrine ${singular} import --workspace northwind ${name}.ndjson
  export-${name} | vitrine ${singular} import --workspace northwind -`
}

const listed = (names: readonly string[]): string => names.join(', ').replace(/, ([^,()]*)$/, ' and $1')

const wrapped = (words: string): string =>
  words
    .replace(/\s+/g, ' ')
    .replace(/(.{1,115})(?: |$)/g, '$1\n')
    .trimEnd()

/** The file is opened when the first chunk is asked for. `onSize` is called with its size if that is known. */
async function* chunksOf(file: string, onSize: (sizeBytes: number) => void): AsyncGenerator<Buffer> {
  const name = file === '-' ? 'stdin' : file
  const checkStats = (stats: Stats) => {
    if (stats.isDirectory()) throw new UserError(`${name}: is a folder, not a file`)
    if (stats.isFile()) onSize(stats.size)
  }
  try {
    if (file === '-') {
      checkStats(fstatSync(0))
      yield* process.stdin
    } else {
      await using handle = await open(file)
      checkStats(await handle.stat())
      yield* handle.createReadStream()
    }
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (syscall === undefined) throw error
    throw new UserError(`${name}: ${readFailures[code ?? ''] ?? `cannot be read (${code})`}`, { cause: error })
  }
}

const readFailures: Record<string, string> = {
  ENOENT: 'no such file',
  ENOTDIR: 'no such file',
  EACCES: 'may not be read by this user',
  EPERM: 'may not be read by this user',
}

/** The file may hold anything, and its field names are repeated here: none of it may play with the terminal. */
function complaint({ line, item }: Place, problems: string[]): string {
  const words = problems.join('; ').replace(/\p{Cc}/gu, '\uFFFD')
  const clipped = words.length > LONGEST_COMPLAINT ? `${words.slice(0, LONGEST_COMPLAINT)}…` : words
  return `line ${line}${item === undefined ? '' : `, item ${item}`}: ${clipped}`
}

function summary(
  { name, singular }: Table,
  workspace: string,
  { created, replaced }: { created: number; replaced: number },
): string {
  const total = created + replaced
  if (total === 0) return `Imported 0 ${name} into ${workspace}: there were none to import.`
  const parts = `${formatCount(created)} new, ${formatCount(replaced)} replaced`
  return `Imported ${counted(total, singular, name)} into ${workspace}: ${parts}.`
}
