import { appendAudit } from '../audit/log.ts'
import type { OperatorStore, Staging } from '../database/store.ts'
import type { Row, Table } from '../database/table.ts'
import type { Fault } from '../lib/checker.ts'
import { tooMuchToParse } from '../lib/json-text.ts'
import { UserError } from '../lib/user-error.ts'
import { workspaceOrThrow } from '../resources/workspace/records.ts'
import { type Frame, type Framer, NOT_UTF8, type Place } from './frame.ts'
import { type RecordReader, recordReader } from './record.ts'
import { Sniffer } from './sniff.ts'

export interface ImportListener {
  /** Called for every record that cannot be taken, in the order of the file. */
  onBadRecord(place: Place, problems: string[]): void
  onProgress(bytesRead: number, recordsRead: number): void
  /** Called when all is read and good. What follows is one step, which takes a while if there is much. */
  onStoring(): void
}

/**
 * Brings a file of records into the table of a resource, all of it or nothing. Nothing is locked while the file is read, however
 * slowly it comes; one transaction at the end takes the rows and records the import.
 */
export async function importRecords(
  store: OperatorStore,
  table: Table,
  slug: string,
  chunks: AsyncIterable<Buffer>,
  actor: string,
  clock: () => string,
  listener: ImportListener,
): Promise<{ created: number; replaced: number }> {
  // Asked first: no one should feed a long file in only to be told that its workspace is misspelled.
  await store.read((tx) => workspaceOrThrow(tx, slug))
  const staging = store.stage(table)
  try {
    const badRecords = await stage(chunks, table, staging, listener)
    if (badRecords > 0) throw new UserError(`nothing was imported: ${counted(badRecords, 'bad line', 'bad lines')}`)
    listener.onStoring()
    return await store.transaction(async (tx) => {
      const { id: workspaceId } = await workspaceOrThrow(tx, slug)
      const at = clock()
      const counts = await staging.take(tx, workspaceId, at)
      const action = `${table.name}.imported`
      await appendAudit(tx, { at, workspaceId, actor, action, subject: workspaceId, detail: counts })
      return counts
    })
  } finally {
    // What is staged goes away with the connection anyway: a failure here must not hide what came of the import.
    await staging.discard().catch(() => {})
  }
}

/** Gives the number of bad records. After the first there is no use in staging, but the others are still looked for. */
async function stage(
  chunks: AsyncIterable<Buffer>,
  table: Table,
  staging: Staging,
  listener: ImportListener,
): Promise<number> {
  const reader = recordReader(table)
  let records = 0
  let badRecords = 0
  let bytesRead = 0
  for await (const frames of framed(chunks, table, reader, (bytes) => (bytesRead += bytes))) {
    for (const frame of frames) {
      records++
      const read = readFrame(frame, reader)
      if ('problems' in read) {
        badRecords++
        listener.onBadRecord(frame, read.problems)
        if ('isLast' in frame) return badRecords
      } else if (badRecords === 0) staging.add(read.row)
    }
    if (badRecords === 0) await staging.flush()
    listener.onProgress(bytesRead, records)
  }
  return badRecords
}

async function* framed(
  chunks: AsyncIterable<Buffer>,
  { name }: Table,
  reader: RecordReader,
  onRead: (bytes: number) => void,
): AsyncGenerator<Frame[]> {
  const sniffer = new Sniffer(reader)
  let framer: Framer | undefined
  for await (const chunk of chunks) {
    onRead(chunk.length)
    if (framer !== undefined) yield await framer.push(chunk)
    else {
      const sniffed = sniffer.sniff(chunk)
      framer = sniffed?.framer
      if (sniffed !== undefined) yield await sniffed.framer.push(sniffed.rest)
    }
  }
  if (framer !== undefined) yield await framer.end()
  else if (sniffer.isCutShort) yield [{ line: 1, problem: NOT_UTF8 }]
  else throw new UserError(`nothing was imported: the input was empty; for no ${name} at all, give an empty array, []`)
}

function readFrame(frame: Frame, reader: RecordReader): { row: Row } | { problems: string[] } {
  if ('problem' in frame) return { problems: [frame.problem] }
  const tooMuch = 'text' in frame ? tooMuchToParse(frame.text) : undefined
  if (tooMuch !== undefined) return { problems: [`the record ${tooMuch}`] }
  let value: unknown
  try {
    value = 'text' in frame ? JSON.parse(frame.text) : frame.value
  } catch (error) {
    // The parser counts lines within the record, which would only confuse beside the line of the file.
    return { problems: [(error as Error).message.replace(/ \(line \d+ column \d+\)$/, '')] }
  }
  const read = reader.read(value)
  return 'row' in read ? read : { problems: read.faults.map(inWords) }
}

const inWords = ({ field, problem }: Fault): string => `${field === '' ? 'the record' : field} ${problem}`

/** Such as "1 task" or "1,234 tasks". */
export const counted = (count: number, singular: string, plural: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? singular : plural}`
