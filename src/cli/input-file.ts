import { open } from 'node:fs/promises'
import { getSystemErrorMessage } from 'node:util'
import { type InputPart, positionText, type RecordPosition } from '../import/format/frame.ts'
import type { RecordMap } from '../import/map/load-map.ts'
import type { RecordListener } from '../import/parse-records.ts'
import { counted } from '../lib/format-count.ts'
import { clip } from '../lib/plain-text.ts'
import { UserError } from '../lib/user-error.ts'
import type { List } from '../lists/definition.ts'
import { printMessage, sanitize } from './terminal/output.ts'
import { clearProgress, showProgress } from './terminal/progress.ts'

const MAX_MESSAGE_CHARACTERS = 1000

/** The files of a snapshot or an import, of which there is at least one. Each leads to the next. */
export function firstFile(files: readonly string[], signal?: AbortSignal): InputPart {
  const parts: InputPart[] = files.map((file, i) => ({
    chunks: chunksOf(file, signal),
    name: files.length > 1 ? nameOf(file) : undefined,
    hasNext: () => i + 1 < files.length,
    next: async () => parts[i + 1],
  }))
  return parts[0] as InputPart
}

const nameOf = (file: string) => (file === '-' ? 'stdin' : file)

/** Opens the file only when the first chunk is read. */
export async function* chunksOf(file: string, signal?: AbortSignal): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of file === '-' ? process.stdin : contentOf(file)) {
      signal?.throwIfAborted()
      yield chunk
    }
  } catch (error) {
    const { errno } = error as NodeJS.ErrnoException
    if (errno === undefined) throw error
    throw new UserError(`${nameOf(file)}: ${getSystemErrorMessage(errno)}`, { cause: error })
  }
}

/** A file that is still being written could be read incompletely, or as a mix of two versions. */
async function* contentOf(file: string): AsyncGenerator<Buffer> {
  await using handle = await open(file)
  const before = await handle.stat()
  yield* handle.createReadStream({ autoClose: false })
  const after = await handle.stat()
  if (before.isFile() && (before.size !== after.size || before.mtimeMs !== after.mtimeMs))
    throw new UserError(`${file}: changed while it was being read; try again when it is complete`)
}

export const MAP_OPTION = [
  '--map <map>',
  'how to read a file with other fields: a built-in map such as jira-csv, or a JSON file (docs/maps.md)',
] as const

export async function mapFor(nameOrFile: string | undefined, list: List): Promise<RecordMap | undefined> {
  if (nameOrFile === undefined) return undefined
  const { loadMap } = await import('../import/map/load-map.ts')
  return loadMap(nameOrFile, list)
}

/** Records with further problems are only counted. */
const MAX_SHOWN = 20

/** Shows the progress of an import or a sync, and its bad records: the first with each problem, and how many more have it. */
export async function withRecordListener<T>(work: (listener: RecordListener) => Promise<T>): Promise<T> {
  const repeats = new Map<string, number>()
  let others = 0
  try {
    return await work({
      onProgress: showProgress,
      onBadRecord: (position, problems) => {
        const problem = problems.join('; ')
        const count = repeats.get(problem)
        if (count !== undefined) repeats.set(problem, count + 1)
        else if (repeats.size === MAX_SHOWN) others++
        else {
          repeats.set(problem, 0)
          printMessage(badRecordMessage(position, problems))
        }
      },
    })
  } finally {
    clearProgress()
    for (const [problem, count] of repeats)
      if (count > 0) printMessage(badRecordMessage({ input: `… and ${counted(count, 'more record')}` }, [problem]))
    if (others > 0) printMessage(`… and ${counted(others, 'more bad record')} with other problems`)
  }
}

/** The message repeats ids and field names from the file, which may contain terminal control characters. */
export const badRecordMessage = (position: RecordPosition, problems: string[]): string =>
  [sanitize(positionText(position)), clip(sanitize(problems.join('; ')), MAX_MESSAGE_CHARACTERS)]
    .filter(Boolean)
    .join(': ')
