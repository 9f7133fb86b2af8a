import { isObject } from '../../lib/checker.ts'
import { countBytes } from '../../lib/chunks.ts'
import { counted } from '../../lib/format-count.ts'
import { UserError } from '../../lib/user-error.ts'
import { MAX_FIELDS } from '../../resources/declared/definition.ts'
import { type Frame, type Frames, positionText, valueIn } from '../format/frame.ts'
import { itemFrames, parseDocument } from '../format/json.ts'
import { framesIn, type OpenedFile, openFile } from '../format/open-file.ts'
import { fold, textsOf } from '../map/values.ts'

/** The first records of a file, by column. */
export interface FileSample {
  format: 'csv' | 'json'
  /** A JSON pointer to the records, unless an import finds them by itself. */
  records?: string
  columns: readonly SampleColumn[]
  /** The records as they were found: the cells of a row, or a JSON value. */
  raw: readonly unknown[]
  header?: readonly string[]
  isCut: boolean
  notes: readonly string[]
}

export interface SampleColumn {
  /** The name of a CSV column, or a JSON pointer into a record. */
  from: string
  /** The same, as words for people. */
  title: string
  /** A value per record, undefined if it has none. */
  values: readonly unknown[]
}

/** Enough to see which values occur, and to read in a second. */
const SAMPLE_SIZE = { maxBytes: 8_388_608, maxRecords: 10_000 }
/** Deeper members are seldom worth a field. */
const MAX_DEPTH = 4
/** The maximum length of a column's name in a map. */
const MAX_NAME = 500

/** `name` is the resource's name: a document may have its records in that member. */
export async function readSample(
  content: AsyncGenerator<Buffer>,
  name: string,
  { maxBytes, maxRecords } = SAMPLE_SIZE,
): Promise<FileSample> {
  await using input = content
  const file = await openFile(input, name)
  // As decompressed.
  let bytes = 0
  const chunks = countBytes(file.chunks, (length) => {
    bytes += length
  })
  const { frames, records } = await framesOf({ ...file, chunks }, name)
  const sample: Frame[] = []
  let isCut = false
  for await (const batch of frames) {
    isCut = sample.length > 0 && (bytes > maxBytes || sample.length + batch.length > maxRecords)
    if (isCut) break
    sample.push(...batch)
  }
  return file.format === 'csv'
    ? { format: 'csv', isCut, ...csvColumns(sample) }
    : { format: 'json', isCut, ...jsonColumns(sample, records) }
}

async function framesOf(
  file: OpenedFile,
  name: string,
): Promise<{ frames: Frames | Iterable<Frame[]>; records?: string }> {
  if (file.problem !== undefined) throw new UserError(`the file ${file.problem}`)
  if (file.format === 'empty') throw new UserError('the file is empty')
  const frames = await framesIn(file)
  if (frames !== undefined) return { frames }
  const parsed = await parseDocument(file.chunks)
  if ('problem' in parsed) throw new UserError(`the file ${parsed.problem}`)
  const array = recordsIn(parsed.document, name)
  if (array === undefined) throw new UserError('the file has no array of records at its top')
  return { frames: itemFrames(array.items), ...(array.member !== name && { records: pointerTo(array.member) }) }
}

function recordsIn(document: unknown, name: string): { member: string; items: unknown[] } | undefined {
  const arrays = Object.entries(Object(document)).flatMap(([member, items]) =>
    Array.isArray(items) && items.length > 0 && items.every(isObject) ? { member, items: items as unknown[] } : [],
  )
  return arrays.find(({ member }) => member === name) ?? arrays.sort((a, b) => b.items.length - a.items.length)[0]
}

type Sampled = Pick<FileSample, 'columns' | 'raw' | 'header' | 'notes' | 'records'>

function csvColumns([header, ...frames]: readonly Frame[]): Sampled {
  const names = header === undefined ? [] : 'cells' in header ? header.cells : (readValue(header) as never)
  const rows = frames.map((frame) => readValue(frame, names.length) as string[])
  // As in a map, names are case-insensitive, and the first value of a repeated column counts.
  const indexes = Map.groupBy(names.keys(), (i) => fold(names[i] ?? ''))
  const notes: string[] = []
  const columns = [...indexes].flatMap(([folded, at]): SampleColumn[] => {
    const from = names[at[0] as number]?.trim() ?? ''
    if (folded === '') notes.push(`${counted(at.length, 'column')} without a name: left out`)
    else if (at.length > 1) notes.push(`the column ${from} is repeated; the first value is used`)
    const values = rows.map((cells) => at.map((i) => cells[i]).find((cell) => cell?.trim()))
    return folded === '' ? [] : [{ from, title: from, values }]
  })
  return { header: names.map((name) => name.trim()), ...withinLimits(columns, rows, notes) }
}

function jsonColumns(frames: readonly Frame[], records?: string): Sampled {
  const values = frames.map((frame) => readValue(frame))
  const [first] = values
  // A document on one line looks like a single record.
  const isDocument = values.length === 1 && records === undefined && !Object.hasOwn(Object(first), 'id')
  const array = isDocument ? recordsIn(first, '') : undefined
  if (array !== undefined) return { ...flattened(array.items), records: pointerTo(array.member) }
  for (const [i, value] of values.entries()) if (!isObject(value)) reject(frames[i] as Frame, 'it is not an object')
  return { ...flattened(values), ...(records !== undefined && { records }) }
}

/** Members of nested objects become columns too. Arrays of objects cannot. */
function flattened(records: readonly unknown[]): Sampled {
  const columns = new Map<string, { title: string; values: unknown[] }>()
  const unusable = new Map<string, string>()
  const add = (object: object, at: number, path: string, words: readonly string[]): void => {
    for (const [member, value] of Object.entries(object)) {
      const pointer = `${path}${pointerTo(member)}`
      if (isObject(value) && words.length + 1 < MAX_DEPTH) add(value, at, pointer, [...words, member])
      textsOf(value, (problem) => unusable.set(pointer, problem))
      if (isObject(value)) continue
      const column = columns.get(pointer) ?? { title: [...words, member].join(' '), values: [] }
      column.values[at] = value
      // Records with names of their own would fill the memory.
      if (columns.size <= MAX_FIELDS) columns.set(pointer, column)
    }
  }
  for (const [at, record] of records.entries()) add(record as object, at, '', [])
  const notes = [...unusable].flatMap(([pointer, problem]) =>
    columns.has(pointer) ? [`${pointer} is left out: in some records it ${problem}`] : [],
  )
  const usable = [...columns].filter(([pointer]) => !unusable.has(pointer))
  return withinLimits(
    usable.map(([from, { title, values }]) => ({ from, title, values: Array.from(records, (_, i) => values[i]) })),
    records,
    notes,
  )
}

function withinLimits(columns: readonly SampleColumn[], raw: readonly unknown[], notes: readonly string[]): Sampled {
  if (raw.length === 0) throw new UserError('the file has no records')
  const usable = columns.filter(({ from }) => from.length <= MAX_NAME)
  return {
    columns: usable.slice(0, MAX_FIELDS),
    raw,
    notes: [
      ...notes,
      ...(usable.length < columns.length ? [`columns with names over ${MAX_NAME} characters are left out`] : []),
      ...(usable.length > MAX_FIELDS ? [`only the first ${MAX_FIELDS} columns are used`] : []),
    ],
  }
}

function readValue(frame: Frame, columnCount = 0): unknown {
  const parsed = valueIn(frame, columnCount)
  return 'problem' in parsed ? reject(frame, parsed.problem) : parsed.value
}

const reject = (frame: Frame, problem: string): never => {
  throw new UserError(`${positionText(frame)}: ${problem}`)
}

const pointerTo = (member: string): string => `/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`
