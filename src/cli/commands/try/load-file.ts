import { unwatchFile, watchFile } from 'node:fs'
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
      map: { name: file, file: map, digest: '' },
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

/** Polls, since not every file system reports changes. A file that cannot be read leaves the rows as they are. */
export function followFiles(target: TriedWorkspace, lists: readonly DraftedFile[]): AsyncDisposable {
  const broken = new Set<DraftedFile>()
  let isStopped = false
  let work = Promise.resolve()
  const load = async (list: DraftedFile) => {
    if (isStopped) return
    try {
      const rows = await loadFile(target, list)
      if (broken.delete(list)) printMessage(`${sanitize(list.source)}: read again, ${counted(rows, 'row')}`)
    } catch (error) {
      broken.add(list)
      printMessage(
        `${sanitize((error as Error).message)}; its last good rows are served until it is fixed, or tried again`,
      )
    }
  }
  const watched = lists.map((list) => ({
    file: list.source,
    listener: () => {
      work = work.then(() => load(list))
    },
  }))
  for (const { file, listener } of watched) watchFile(file, { interval: POLL_MS }, listener)
  return {
    async [Symbol.asyncDispose]() {
      isStopped = true
      for (const { file, listener } of watched) unwatchFile(file, listener)
      await work
    },
  }
}
