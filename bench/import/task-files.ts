import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { randomFrom } from '../../test/support/random.ts'

const MINUTE_MS = 60_000
const DAY_MS = 1440 * MINUTE_MS
/** Midnight, so that a run that is repeated on the same day has the same tasks. */
const TODAY_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS

const suppliers = ['Alvés & Filhos', 'Møller Træ A/S', '東京陶器', 'Łódź Len', 'Harrow Mills']
const work = ['Confirm the order with', 'Chase the signed terms of', 'Return the samples to', 'Book the container for']
/** Details are as long as those that people write. */
const details = [
  'They hold the price until week',
  'The samples of the second colour came back too light, and were sent again in week',
  'Payment is due thirty days after the invoice; ask for the usual discount before week',
  'The container leaves the port on Thursday at the latest, or the next one does in week',
  'Nobody has answered the last two messages, so call the office in the morning of week',
  'Terms were agreed on the phone and still have to be signed by both of us before week',
]

const books = ['home-textiles', 'kitchen', 'garden', 'lighting', 'seasonal']
const kinds = ['meeting', 'report', 'audit']
const statuses = ['open', 'open', 'open', 'completed', 'cancelled']
const offsetsMinutes = [0, 0, 540, 60, -330]

export interface Rows {
  from: number
  to: number
  /** Of every so many tasks, one has another title than without this. */
  changedEvery?: number
}

/** As NDJSON. Ids and dues come in no order; instants are in UTC or with an offset. */
export async function writeTaskFile(
  file: string,
  { from, to, changedEvery = Number.POSITIVE_INFINITY }: Rows,
): Promise<void> {
  const stream = createWriteStream(file)
  const next = randomFrom(from + 1)
  const random = (below: number) => Math.floor(next() * below)
  let lines = ''
  for (let i = from; i < to; i++) {
    const task = createTask(i, random)
    if (i % changedEvery === changedEvery - 1) task.title += ', again'
    lines += `${JSON.stringify(task)}\n`
    if (i % 1000 === 999 || i === to - 1) {
      if (!stream.write(lines)) await once(stream, 'drain')
      lines = ''
    }
  }
  stream.end()
  await once(stream, 'close')
}

/** As a client may write it. */
function toInstant(ms: number, offsetMinutes: number): string {
  const sign = offsetMinutes < 0 ? '-' : '+'
  const clock = new Date(Math.abs(offsetMinutes) * MINUTE_MS).toISOString().slice(11, 16)
  const local = new Date(ms + offsetMinutes * MINUTE_MS).toISOString().replace(/(\.000)?Z$/, '')
  return `${local}${offsetMinutes === 0 ? 'Z' : `${sign}${clock}`}`
}

type Random = (below: number) => number

function createTask(i: number, random: Random) {
  const pick = <T>(from: readonly T[]): T => from[random(from.length)] as T
  const instant = (firstDay: number, days: number, stepMs: number) =>
    toInstant(TODAY_MS + firstDay * DAY_MS + random((days * DAY_MS) / stepMs) * stepMs, pick(offsetsMinutes))
  const supplier = pick(suppliers)
  const person = random(400)
  const session = random(50_000)
  return {
    // An odd factor, so that no two are the same.
    id: `task_${(Math.imul(i, 0x9e3779b1) >>> 0).toString(36)}`,
    title: `${pick(work)} ${supplier}, line ${random(10_000)}`,
    details: details.map((text) => `${text} ${random(52)}.`).join(' '),
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
