import { fstatSync, type Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { Table } from '../database/table.ts'
import type { Place } from '../import/frame.ts'
import type { ImportListener } from '../import/import-records.ts'
import type { RecordMap } from '../import/map/load-map.ts'
import { clip } from '../lib/plain-text.ts'
import { UserError } from '../lib/user-error.ts'
import { OptionWithKnownValues } from './known-values.ts'
import { printMessage, sanitize } from './output.ts'
import type { Progress } from './progress.ts'

const LONGEST_COMPLAINT = 1000

/** The file is opened when the first chunk is asked for. `onSize` is called with its size if that is known. */
export async function* chunksOf(file: string, onSize: (sizeBytes: number) => void): AsyncGenerator<Buffer> {
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
      const before = await handle.stat()
      checkStats(before)
      yield* read(handle)
      if (before.isFile() && isChanged(before, await handle.stat()))
        throw new UserError(`${name}: was changed while it was read; try again when it is complete`)
    }
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (syscall === undefined) throw error
    throw new UserError(`${name}: ${readFailures[code ?? ''] ?? `cannot be read (${code})`}`, { cause: error })
  }
}

const CHUNK_BYTES = 65_536

/** Without the runtime's streams, which take longer to set up than a small file to read. */
async function* read(handle: FileHandle): AsyncGenerator<Buffer> {
  for (;;) {
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES))
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
  }
}

/** What was read of a file that is being written may be a part of it, or parts of two. */
const isChanged = (before: Stats, after: Stats): boolean =>
  before.size !== after.size || before.mtimeMs !== after.mtimeMs

const readFailures: Record<string, string> = {
  ENOENT: 'no such file',
  ENOTDIR: 'no such file',
  EACCES: 'may not be read by this user',
  EPERM: 'may not be read by this user',
}

export const mapOption = () =>
  new OptionWithKnownValues(
    '--map <map>',
    'what the file means, if it is not in the fields of a record: a ready map such as jira-csv, or a JSON file (docs/maps.md)',
    { values: async () => (await import('../import/map/load-map.ts')).readyMapNames(), orFile: true },
  )

/** Loaded and checked before a database is opened. */
export async function mapFor(nameOrFile: string | undefined, table: Table): Promise<RecordMap | undefined> {
  if (nameOrFile === undefined) return undefined
  const { loadMap } = await import('../import/map/load-map.ts')
  return loadMap(nameOrFile, table)
}

/** Shows what comes of a file while it is read: bad records as messages, the rest as progress. */
export const recordListener = (progress: Progress): ImportListener => ({
  onBadRecord: (place, problems) => printMessage(complaint(place, problems)),
  onProgress: (bytesRead, recordsRead) => progress.show(bytesRead, recordsRead),
  onPhase: (phase) => progress.finish(`${phase} them`),
})

/** The file may hold anything, and its field names are repeated here: none of it may play with the terminal. */
export function complaint({ line, item }: Place, problems: string[]): string {
  const words = clip(sanitize(problems.join('; ')), LONGEST_COMPLAINT)
  return `line ${line}${item === undefined ? '' : `, item ${item}`}: ${words}`
}
