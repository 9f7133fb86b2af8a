import { stat } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { OperatorStore } from '../../../database/store.ts'
import type { RecordPosition } from '../../../import/format/frame.ts'
import { syncRecords } from '../../../import/sync-records.ts'
import { counted } from '../../../lib/format-count.ts'
import { UserError } from '../../../lib/user-error.ts'
import { declaredList } from '../../../resources/declared/compile.ts'
import { actor } from '../../context.ts'
import { badRecordMessage, chunksOf } from '../../input-file.ts'
import { printMessage, sanitize } from '../../terminal/output.ts'
import { type DraftedFile, problemWith } from './draft-list.ts'

const SOURCE = 'file'

interface TriedWorkspace {
  store: OperatorStore
  workspace: string
}

/** The list then has the rows of the file, and no others. Returns their number. */
export async function loadFile({ store, workspace }: TriedWorkspace, drafted: DraftedFile): Promise<number> {
  const { source: file, map, definition } = drafted
  const list = declaredList(definition)
  let [firstBad, badRecords] = ['', 0]
  const onBadRecord = ({ input: _, ...position }: RecordPosition, problems: string[]) => {
    if (badRecords++ === 0) firstBad = badRecordMessage(position, problems)
  }
  const { created, changed, unchanged } = await syncRecords(
    { store, list, actor: actor(), onBadRecord },
    {
      ...{ workspace, source: SOURCE, location: file },
      firstPart: () => ({ chunks: chunksOf(file), name: 'the file' }),
      map: { name: file, file: map },
      // Whoever edits a file of their own means it.
      ...{ allowEmpty: true, maxGone: { percent: 100 }, allowMissing: list.fields.map(({ name }) => name) },
    },
  ).catch((error) => {
    const more = badRecords > 1 ? `; and ${counted(badRecords - 1, 'more bad record')}` : ''
    throw new UserError(`${file}: ${badRecords > 0 ? firstBad + more : problemWith(file, error)}`, { cause: error })
  })
  return created + changed + unchanged
}

const POLL_MS = 200

/** Differs once the file has been edited or replaced, or can or cannot be found. */
async function versionOf({ source }: DraftedFile): Promise<string> {
  try {
    const { ino, size, mtimeMs, ctimeMs } = await stat(source)
    return [ino, size, mtimeMs, ctimeMs].join()
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code)
  }
}

type FileVersions = Map<DraftedFile, string>

/** To be read before the files are loaded, so that an edit in the meantime is not missed. */
export async function versionsOf(lists: readonly DraftedFile[]): Promise<FileVersions> {
  const versions: FileVersions = new Map()
  for (const list of lists) versions.set(list, await versionOf(list))
  return versions
}

/** Polls, since not every file system reports changes. A file that cannot be read leaves the rows as they are. */
export function followFiles(target: TriedWorkspace, loaded: FileVersions): AsyncDisposable {
  const stopping = new AbortController()
  const following = follow(target, loaded, stopping.signal)
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await following
    },
  }
}

const UNTIL_READ =
  'its last good rows stay in use until the file can be read; to read it with other types, stop this and run try again'

async function follow(target: TriedWorkspace, versions: FileVersions, stopping: AbortSignal): Promise<void> {
  const broken = new Set<DraftedFile>()
  while (!stopping.aborted) {
    for (const [list, before] of versions) {
      const version = await versionOf(list)
      if (version === before || stopping.aborted) continue
      versions.set(list, version)
      try {
        const rows = await loadFile(target, list)
        if (broken.delete(list)) printMessage(`${sanitize(list.source)}: read again, ${counted(rows, 'row')}`)
      } catch (error) {
        broken.add(list)
        printMessage(`${sanitize((error as Error).message)}; ${UNTIL_READ}`)
      }
    }
    await delay(POLL_MS, undefined, { signal: stopping }).catch(() => undefined)
  }
}
