import type { Row, Table } from '../database/table.ts'
import type { Fault } from '../lib/checker.ts'
import { tooMuchToParse } from '../lib/json-text.ts'
import { UserError } from '../lib/user-error.ts'
import { withDeletions } from './deletions.ts'
import { type Frame, type Framer, NOT_UTF8, type Place } from './frame.ts'
import { type RecordReader, recordReader } from './record.ts'
import { Sniffer } from './sniff.ts'

export interface ReadListener {
  /** Called for every record that cannot be taken, in the order of the file. */
  onBadRecord(place: Place, problems: string[]): void
  onProgress(bytesRead: number, recordsRead: number): void
}

export interface ReadOptions {
  /** Whether a record may say that its row is to be deleted. */
  deletions?: boolean
  /** Whether a file without a byte is one without records. */
  mayBeEmpty?: boolean
}

/**
 * Reads a file of records, and hands over their rows in batches until the first bad record; the other bad ones are still
 * looked for. Returns how many are bad.
 */
export async function readRecords(
  chunks: AsyncIterable<Buffer>,
  table: Table,
  listener: ReadListener,
  onRows: (rows: Row[]) => Promise<void>,
  { deletions = false, mayBeEmpty = false }: ReadOptions = {},
): Promise<number> {
  const reader = withDeletions(recordReader(table), deletions)
  let records = 0
  let badRecords = 0
  let bytesRead = 0
  for await (const frames of framed(chunks, table, reader, mayBeEmpty, (bytes) => (bytesRead += bytes))) {
    const rows: Row[] = []
    for (const frame of frames) {
      records++
      const read = readFrame(frame, reader)
      if ('problems' in read) {
        badRecords++
        listener.onBadRecord(frame, read.problems)
        if ('isLast' in frame) return badRecords
      } else rows.push(read.row)
    }
    if (badRecords === 0) await onRows(rows)
    listener.onProgress(bytesRead, records)
  }
  return badRecords
}

async function* framed(
  chunks: AsyncIterable<Buffer>,
  { name }: Table,
  reader: RecordReader,
  mayBeEmpty: boolean,
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
  else if (!mayBeEmpty)
    throw new UserError(`nothing was imported: the input was empty; for no ${name} at all, give an empty array, []`)
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
