import type { Row, Table } from '../database/table.ts'
import { type Fault, isObject } from '../lib/checker.ts'
import { tooMuchToParse } from '../lib/json-text.ts'
import { UserError } from '../lib/user-error.ts'
import { Zone } from '../lib/zone.ts'
import { FieldColumns } from './csv-columns.ts'
import type { Frame, Framer, Place } from './frame.ts'
import type { RecordMap } from './map/load-map.ts'
import { Mapping } from './map/mapping.ts'
import type { MapReport } from './map/report.ts'
import { mapHint } from './map/suggest.ts'
import { type RecordReader, recordReader } from './record.ts'
import { type Layout, Sniffer } from './sniff.ts'

export interface ReadListener {
  /** Called for every record that cannot be taken, in the order of the file. */
  onBadRecord(place: Place, problems: string[]): void
  onProgress(bytesRead: number, recordsRead: number): void
}

export interface ReadOptions {
  /** What the file says of the fields. Without it, the file is in Vitrine's own words. */
  map?: RecordMap
  /** The workspace's, for dates and local times that a map reads; UTC if it has none. */
  timezone?: string | null
  /** Notes what the map finds. */
  report?: MapReport
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
  { map, timezone, report }: ReadOptions = {},
): Promise<number> {
  const reader = recordReader(table)
  const mapping = map && new Mapping(map, table, reader, new Zone(timezone ?? 'UTC'), report)
  const interpret = mapping === undefined ? plainly(reader) : mapping.read.bind(mapping)
  let records = 0
  let badRecords = 0
  let bytesRead = 0
  for await (const frames of framed(
    chunks,
    table,
    mapping?.layout ?? plainLayout(table, reader),
    (bytes) => (bytesRead += bytes),
  )) {
    const rows: Row[] = []
    for (const frame of frames) {
      const read = readFrame(frame, interpret)
      if (read === undefined) continue
      records++
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
  layout: Layout,
  onRead: (bytes: number) => void,
): AsyncGenerator<Frame[]> {
  const sniffer = new Sniffer(layout)
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
  if (framer === undefined) {
    const sniffed = sniffer.sniff(Buffer.alloc(0), true)
    framer = sniffed?.framer
    if (sniffed !== undefined) yield await sniffed.framer.push(sniffed.rest)
  }
  if (framer !== undefined) yield await framer.end()
  else throw new UserError(`nothing was imported: the input was empty; for no ${name} at all, give an empty array, []`)
}

type Read = { row: Row } | { problems: string[] } | undefined

function readFrame(frame: Frame, interpret: (value: unknown, frame: Frame) => Read): Read {
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
  return interpret(value, frame)
}

/** A file in Vitrine's own words. */
const plainLayout = ({ name }: Table, reader: RecordReader): Layout => ({
  columns: new FieldColumns(reader, (names) => mapHint(names, 'csv', reader)),
  member: name,
})

/** The first record that is not in Vitrine's own words gets a hint at maps. */
function plainly(reader: RecordReader): (value: unknown) => Read {
  let isHinted = false
  return (value) => {
    const read = reader.read(value)
    if ('row' in read) return read
    const problems = read.faults.map(inWords)
    if (isHinted || !isObject(value) || !needsMap(value, reader)) return { problems }
    isHinted = true
    const hint = mapHint(Object.keys(value), 'json', reader) ?? (typeof value.id === 'number' ? NUMBERS : [])
    return { problems: problems.concat(hint) }
  }
}

const NUMBERS = 'a map turns numbers into text: see --map and docs/maps.md'

/** Whether what is required has other names, or its id is a number. */
const needsMap = (record: Record<string, unknown>, { fieldNames, requiredFields }: RecordReader): boolean =>
  typeof record.id === 'number' ||
  (requiredFields.some((name) => record[name] === undefined) &&
    Object.keys(record).some((name) => !fieldNames.includes(name)))

const inWords = ({ field, problem }: Fault): string => `${field === '' ? 'the record' : field} ${problem}`
