import type { Row, Table } from '../database/table.ts'
import { zoneOf } from '../database/timezones.ts'
import type { Fault } from '../lib/checker.ts'
import { tooMuchToParse } from '../lib/json-text.ts'
import { UserError } from '../lib/user-error.ts'
import { FieldColumns } from './csv-columns.ts'
import { withDeletions } from './deletions.ts'
import type { Frame, Framer, Place } from './frame.ts'
import type { RecordMap } from './map/load-map.ts'
import type { MapReport } from './map/report.ts'
import { type RecordReader, recordReader } from './record.ts'
import { type Layout, Sniffer } from './sniff.ts'

export interface ReadListener {
  /** Called for every record that cannot be taken, in the order of the file. */
  onBadRecord(place: Place, problems: string[]): void
  onProgress(bytesRead: number, recordsRead: number): void
}

export interface ReadOptions {
  /** What the file says of the fields. Without it, the file is in Vitrine's own words. */
  map?: RecordMap | undefined
  /** The workspace's, for dates and local times that a map reads; UTC if it has none. */
  timezone?: string | null
  /** Notes what the map finds. */
  report?: MapReport | undefined
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
  { map, timezone, report, deletions = false, mayBeEmpty = false }: ReadOptions = {},
): Promise<number> {
  const reader = withDeletions(recordReader(table), deletions)
  const mapping = map && (await mappingOf(map, table, reader, timezone ?? 'UTC', report))
  const interpret = mapping === undefined ? (value: unknown) => plainly(value, reader) : mapping.read.bind(mapping)
  const layout = mapping?.layout ?? { columns: new FieldColumns(reader), member: table.name }
  let records = 0
  let badRecords = 0
  let bytesRead = 0
  for await (const frames of framed(chunks, table, layout, mayBeEmpty, (bytes) => (bytesRead += bytes))) {
    const rows: Row[] = []
    for (const frame of frames) {
      const read = readFrame(frame, interpret)
      if (read === undefined) continue
      records++
      if ('problems' in read) {
        // First, because a long line is clipped where it is shown.
        const hint = badRecords++ === 0 ? await mapHintFor(read, reader, map) : []
        listener.onBadRecord(frame, [...hint, ...read.problems])
        if ('isLast' in frame) return badRecords
      } else rows.push(read.row)
    }
    if (badRecords === 0) await onRows(rows)
    listener.onProgress(bytesRead, records)
  }
  return badRecords
}

/** Loaded when needed: most files are in Vitrine's own words. */
async function mappingOf(map: RecordMap, table: Table, reader: RecordReader, timezone: string, report?: MapReport) {
  if (zoneOf(timezone) === undefined)
    throw new UserError(`this version does not know the workspace's timezone ${timezone}, which dates are read in`)
  const [{ Mapping }, { Zone }] = await Promise.all([import('./map/mapping.ts'), import('../lib/zone.ts')])
  return new Mapping(map, table, reader, new Zone(timezone), report)
}

async function* framed(
  chunks: AsyncIterable<Buffer>,
  { name }: Table,
  layout: Layout,
  mayBeEmpty: boolean,
  onRead: (bytes: number) => void,
): AsyncGenerator<Frame[]> {
  const sniffer = new Sniffer(layout)
  let framer: Framer | undefined
  for await (const chunk of chunks) {
    onRead(chunk.length)
    if (framer !== undefined) yield await framer.push(chunk)
    else {
      const sniffed = await sniffer.sniff(chunk)
      framer = sniffed?.framer
      if (sniffed !== undefined) yield await sniffed.framer.push(sniffed.rest)
    }
  }
  if (framer === undefined) {
    const sniffed = await sniffer.sniff(Buffer.alloc(0), true)
    framer = sniffed?.framer
    if (sniffed !== undefined) yield await sniffed.framer.push(sniffed.rest)
  }
  if (framer !== undefined) yield* framer.end()
  else if (!mayBeEmpty)
    throw new UserError(`nothing was imported: the input was empty; for no ${name} at all, give an empty array, []`)
}

type Read = { row: Row } | Bad | undefined

interface Bad {
  problems: string[]
  /** Columns or members that are not known here. */
  strange?: { names: readonly string[]; format: 'csv' | 'json' }
}

function readFrame(frame: Frame, interpret: (value: unknown, frame: Frame) => Read): Read {
  if ('problem' in frame)
    return { problems: [frame.problem], ...(frame.names && { strange: { names: frame.names, format: 'csv' } }) }
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

/** Of a record in Vitrine's own words. */
function plainly(value: unknown, reader: RecordReader): Read {
  const read = reader.read(value)
  if ('row' in read) return read
  const problems = read.faults.map(inWords)
  const names = Object.keys(Object(value))
  const isStrange =
    reader.requiredFields.some((name) => !names.includes(name)) &&
    names.some((name) => !reader.fieldNames.includes(name))
  return { problems, ...(isStrange && { strange: { names, format: 'json' } }) }
}

async function mapHintFor({ strange }: Bad, reader: RecordReader, map: RecordMap | undefined): Promise<string[]> {
  if (strange === undefined) return []
  const { mapHint } = await import('./map/suggest.ts')
  const hint = await mapHint(strange.names, strange.format, reader)
  if (hint !== undefined) return [hint]
  return strange.format === 'csv' && map === undefined ? [OTHER_COLUMNS] : []
}

const OTHER_COLUMNS = 'a map says what other columns mean: see --map and docs/maps.md'

const inWords = ({ field, problem }: Fault): string => `${field === '' ? 'the record' : field} ${problem}`
