import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import { columnOf } from '../../src/database/table.ts'
import { randomFrom } from '../../test/support/random.ts'

export interface TaskFiles {
  ndjson: string
  csv: string
}

const MINUTE_MS = 60_000
const DAY_MS = 1440 * MINUTE_MS
/** Midnight, so that a run that is repeated on the same day has the same tasks. */
const TODAY_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS

const suppliers = ['Alvés & Filhos', 'Møller Træ A/S', '東京陶器', 'Łódź Len', 'Harrow Mills']
const work = ['Confirm the order with', 'Chase the signed terms of', 'Return the samples to', 'Book the container for']
const books = ['home-textiles', 'kitchen', 'garden', 'lighting', 'seasonal']
const kinds = ['meeting', 'report', 'audit']
const statuses = ['open', 'open', 'open', 'completed', 'cancelled']
const offsetsMinutes = [0, 0, 540, 60, -330]

export interface Rows {
  workspaceId: string
  /** The columns of the table, in its order. */
  columns: string[]
  from: number
  to: number
  /** Of every so many tasks, one has another title than without this. */
  changedEvery?: number
}

/** Whoever imports rows by hand has to say it; Vitrine's imports leave it empty. */
export const SOURCE = 'bench'

/**
 * Writes the same tasks twice: as NDJSON for Vitrine, and as rows of the table for `sqlite3 .import`. That reads an empty
 * cell as empty text, never as NULL, so no field of these tasks is empty. Ids and dues come in no order; instants are in
 * UTC or with an offset in the one file, and as they are stored in the other.
 */
export async function writeTaskFiles(files: TaskFiles, rowsWanted: Rows): Promise<void> {
  const { workspaceId, columns, from, to, changedEvery = Number.POSITIVE_INFINITY } = rowsWanted
  const ndjson = createWriteStream(files.ndjson)
  const csv = createWriteStream(files.csv)
  const next = randomFrom(from + 1)
  const random = (below: number) => Math.floor(next() * below)
  let lines = ''
  let rows = ''
  for (let i = from; i < to; i++) {
    const task = createTask(i, random)
    if (i % changedEvery === changedEvery - 1) task.title += ', again'
    lines += `${JSON.stringify(task, (_, value) => (value instanceof Instant ? value.asSent : value))}\n`
    const cells = new Map<string, string | Instant>([
      ['seq', String(i + 1)],
      ['workspace_id', workspaceId],
      ['source', SOURCE],
      ['snooze_expired', task.snoozedUntil.ms <= Date.now() ? '1' : '0'],
      ...Object.entries(task).map(([field, value]) => [columnOf(field), value] as const),
    ])
    rows += `${columns.map((column) => toCell(cells.get(column))).join(',')}\n`
    if (i % 1000 === 999 || i === to - 1) {
      await Promise.all([write(ndjson, lines), write(csv, rows)])
      lines = rows = ''
    }
  }
  await Promise.all([end(ndjson), end(csv)])
}

/** One moment, as a client may write it and as Vitrine stores it. */
class Instant {
  readonly ms: number
  readonly asSent: string
  readonly asStored: string

  constructor(ms: number, offsetMinutes: number) {
    this.ms = ms
    this.asStored = new Date(ms).toISOString()
    const sign = offsetMinutes < 0 ? '-' : '+'
    const clock = new Date(Math.abs(offsetMinutes) * MINUTE_MS).toISOString().slice(11, 16)
    const local = new Date(ms + offsetMinutes * MINUTE_MS).toISOString().replace(/(\.000)?Z$/, '')
    this.asSent = `${local}${offsetMinutes === 0 ? 'Z' : `${sign}${clock}`}`
  }
}

type Random = (below: number) => number

function createTask(i: number, random: Random) {
  const pick = <T>(from: readonly T[]): T => from[random(from.length)] as T
  const instant = (firstDay: number, days: number, stepMs: number) =>
    new Instant(TODAY_MS + firstDay * DAY_MS + random((days * DAY_MS) / stepMs) * stepMs, pick(offsetsMinutes))
  const supplier = pick(suppliers)
  const person = random(400)
  const session = random(50_000)
  return {
    // An odd factor, so that no two are the same.
    id: `task_${(Math.imul(i, 0x9e3779b1) >>> 0).toString(36)}`,
    title: `${pick(work)} ${supplier}, line ${random(10_000)}`,
    details: `They hold the price until week ${random(52)}, then ask again.`,
    dueAt: instant(-60, 180, MINUTE_MS),
    bookKey: pick(books),
    assigneeName: `Inês Carvalho ${person}`,
    assigneeEmail: `ines.${person}@northwind.example`,
    sourceSessionId: `session_${session}`,
    sourceTitle: `Call ${session}, ${supplier}`,
    sourceSummary: 'Price agreed, quantity open.',
    sourceKind: pick(kinds),
    status: pick(statuses),
    // Never today: it would be asleep for the one and awake for the other.
    snoozedUntil: instant(pick([-20, 2]), 19, MINUTE_MS),
    createdAt: instant(-400, 340, 1),
  }
}

function toCell(value: string | Instant | undefined): string {
  if (value === undefined) throw new Error('a column of the table is not known here')
  const text = value instanceof Instant ? value.asStored : value
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const write = (stream: WriteStream, text: string): unknown => stream.write(text) || once(stream, 'drain')

async function end(stream: WriteStream): Promise<void> {
  stream.end()
  await once(stream, 'close')
}
