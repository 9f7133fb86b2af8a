import { fstatSync, type Stats } from 'node:fs'
import { open } from 'node:fs/promises'
import { Command } from 'commander'
import type { Place } from '../import/frame.ts'
import { counted, importTasks } from '../import/import-tasks.ts'
import { UserError } from '../lib/user-error.ts'
import { actor, type Context, isoNow } from './context.ts'
import { printJson, printMessage } from './output.ts'
import { Progress } from './progress.ts'

const LONGEST_COMPLAINT = 1000

export const command = ({ withStore }: Context) =>
  new Command('import')
    .description('bring tasks into a workspace: all of the file, or nothing if any of it is bad')
    .argument('<file>', 'NDJSON, a JSON array or CSV, told by how it begins; - reads stdin')
    .requiredOption('--workspace <slug>', 'the workspace')
    .option('--json', 'print how many tasks were created and replaced, as JSON')
    .addHelpText('after', help)
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
        importTasks(store, workspace, chunks, actor(), isoNow, listener),
      ).finally(() => progress.clear())
      if (json) return printJson(counts)
      printMessage(summary(workspace, counts))
    })

const help = `
A record has the fields of a task as 'GET /tasks' answers them, and may add status (open, completed, cancelled),
snoozedUntil and createdAt. Only id and title are required. It replaces the whole task of its id: what it leaves out,
or gives as null, is emptied, and the status is open. A CSV file begins with a row of field names.

Examples:
  vitrine task import --workspace northwind tasks.ndjson
  export-tasks | vitrine task import --workspace northwind -`

/** The file is opened when the first chunk is asked for. `onSize` is told its size if that is known. */
async function* chunksOf(file: string, onSize: (sizeBytes: number) => void): AsyncGenerator<Buffer> {
  const name = file === '-' ? 'stdin' : file
  const look = (stats: Stats) => {
    if (stats.isDirectory()) throw new UserError(`${name}: is a folder, not a file`)
    if (stats.isFile()) onSize(stats.size)
  }
  try {
    if (file === '-') {
      look(fstatSync(0))
      yield* process.stdin
    } else {
      await using handle = await open(file)
      look(await handle.stat())
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

function summary(workspace: string, { created, replaced }: { created: number; replaced: number }): string {
  const total = created + replaced
  if (total === 0) return `Imported 0 tasks into ${workspace}: there were none to import.`
  const parts = `${created.toLocaleString('en')} new, ${replaced.toLocaleString('en')} replaced`
  return `Imported ${counted(total, 'task')} into ${workspace}: ${parts}.`
}
