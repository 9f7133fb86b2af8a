import type { PageRequest } from '../../src/lists/query.ts'
import { median } from '../report/statistics.ts'
import { connectAsWriter, createDatabase, type Shape, shapes, WORKSPACE } from './databases.ts'
import { Reader, readPage } from './reader.ts'

const PAGE = 100
const ROUNDS = 15
const READS = 20

interface PageCosts {
  state: string
  /** In microseconds, in the order of `pagesOf`. */
  costs: number[]
}

/** Which pages are measured, of all tasks and of one book: the first, and one in the middle of a workspace so large. */
export const pagesOf = (tasks: number): { name: string; page: number; filters: PageRequest['filters'] }[] => {
  const [deep, deepOfBook] = [tasks / 200, tasks / 1000]
  const ofBook = { bookKey: 'book0' }
  return [
    { name: 'page 1', page: 1, filters: {} },
    { name: `page ${deep.toLocaleString('en')}`, page: deep, filters: {} },
    { name: 'of a book, page 1', page: 1, filters: ofBook },
    { name: `of a book, page ${deepOfBook.toLocaleString('en')}`, page: deepOfBook, filters: ofBook },
  ]
}

/** What a page costs, near and far, in workspaces where nearly all tasks are current. */
export async function measurePages(folder: string, tasks: number, rounds = ROUNDS): Promise<PageCosts[]> {
  const states: Shape[] = [{ name: 'never snoozed', tasks }, shapes(tasks)[3] as Shape]
  const measured: PageCosts[] = []
  for (const shape of states) measured.push({ state: shape.name, costs: await measureShape(folder, shape, rounds) })
  return measured
}

async function measureShape(folder: string, shape: Shape, rounds: number): Promise<number[]> {
  const { path, keyHash } = await createDatabase(folder, shape)
  const readers = []
  for (const { page, filters } of pagesOf(shape.tasks)) readers.push(await readerAt(path, keyHash, page, filters))
  const costs: number[][] = readers.map(() => [])
  for (let round = -2; round < rounds; round++)
    for (const [i, reader] of readers.entries()) {
      const some = await reader.costsOf(READS)
      if (round >= 0) costs[i]?.push(...some)
    }
  for (const reader of readers) await reader.close()
  return costs.map(median)
}

/** Gets to a page as a client does, from one to the next, and compares it with what a plain query finds there. */
async function readerAt(path: string, keyHash: string, page: number, filters: PageRequest['filters']) {
  const request: PageRequest = { filters, limit: PAGE }
  const walk: { after: PageRequest['after'] } = { after: undefined }
  const walker = await Reader.open(path, keyHash, (store) => (admission) => {
    const { after } = walk
    return readPage({ ...request, ...(after !== undefined && { after }) })(store)(admission)
  })
  for (let at = 1; at < page; at++) walk.after = (await walker.read()).next
  const { after } = walk
  await walker.close()
  const reader = await Reader.open(path, keyHash, readPage({ ...request, ...(after !== undefined && { after }) }))
  const { rows } = await reader.read()
  const found = (JSON.parse(`[${rows}]`) as { id: string }[]).map(({ id }) => id)
  if (found.join() !== idsOn(path, page, filters).join())
    throw new Error(`page ${page} is not what a plain query finds`)
  return reader
}

function idsOn(path: string, page: number, { bookKey }: PageRequest['filters']): string[] {
  const db = connectAsWriter(path)
  const rows = db
    .prepare(
      `SELECT id FROM list_items WHERE workspace_id = '${WORKSPACE}' AND rest ->> 'status' = 'open'
       AND coalesce(rest ->> 'snoozedUntil' <= '2026', TRUE) ${bookKey === undefined ? '' : `AND body ->> 'bookKey' = '${bookKey}'`}
       ORDER BY body ->> 'dueAt' IS NULL, body ->> 'dueAt', seq LIMIT ${PAGE} OFFSET ${(page - 1) * PAGE}`,
    )
    .all()
  db.close()
  return rows.map(({ id }) => String(id))
}
