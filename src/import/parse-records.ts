import { counted } from '../lib/format-count.ts'
import { canonicalZoneName, zoneNamed } from '../lib/local-dates.ts'
import { clip } from '../lib/plain-text.ts'
import { UserError } from '../lib/user-error.ts'
import type { Row } from '../lists/column.ts'
import type { List } from '../lists/definition.ts'
import type { StagedItems } from '../lists/stored/staged-items.ts'
import { type Frame, type Frames, type InputPart, type RecordPosition, valueIn } from './format/frame.ts'
import { itemFrames, parseDocument } from './format/json.ts'
import { pointerFinder } from './format/json-pointer.ts'
import { framesIn, type OpenedFile, openFile } from './format/open-file.ts'
import type { RecordMap } from './map/load-map.ts'
import type { MapReport } from './map/report.ts'
import {
  type Interpret,
  type Interpretation,
  type Outcome,
  type RecordSchema,
  type Rejection,
  recordSchema,
  withoutMap,
} from './record-schema.ts'
import { missingNumberIn, nextPageIn } from './snapshot/next-page.ts'

export interface RecordListener {
  /** Called for every invalid record, in file order. */
  onBadRecord(position: RecordPosition, problems: string[]): void
  /** How many rows were read or stored so far, and of how many, once that is known. */
  onProgress?(step: 'read' | 'stored', rows: number, all?: number): void
}

interface ParseOptions {
  list: List
  listener: RecordListener
  /** Gets the rows until the first bad record. */
  staged: Pick<StagedItems, 'add'>
  /** Without a map, the file has Vitrine's own fields. */
  map?: RecordMap | undefined
  /** The workspace's timezone, for dates and local times in a map; UTC if it has none. */
  timezone?: string | null
  report?: MapReport | undefined
  /** Whether a record may delete its row. */
  deletions?: boolean
  /** Whether these are all records there are. Then the file may be empty, and must not be one page of several. */
  isSnapshot?: boolean
}

/** Reports all bad records before it throws. Returns the number of records. */
export async function parseRecords(first: InputPart, options: ParseOptions): Promise<number> {
  const { list, listener, isSnapshot } = options
  const schema = recordSchema(list, options.deletions)
  const failure = (why: string) => new UserError(`nothing was ${isSnapshot ? 'synced' : 'imported'}: ${why}`)
  let interpretation: Interpretation | undefined
  let [records, badRecords] = [0, 0]

  /** Undefined if the rest cannot be read. The document is the one that contains the records, if there is one. */
  async function readPart(part: InputPart): Promise<{ document?: unknown } | undefined> {
    const chunks = part.chunks[Symbol.asyncIterator]()
    try {
      const file = await openFile(chunks, list.name, part.name)
      if (file.format === 'empty' && (part.name !== undefined || part.hasNext?.() || !isSnapshot))
        throw failure(`${part.name ?? 'the input'} is empty; for no ${list.name}, pass an empty array, []`)
      // Only now: whatever fails, the file is closed below.
      interpretation ??= await interpretationOf(schema, options)
      const { batches, document } = await recordsIn(file, part, options)
      const interpret =
        file.format === 'csv' ? csvInterpreter(interpretation) : frameInterpreter(interpretation.ofJson(document))
      for await (const frames of batches) if (!emit(frames, interpret, part)) return undefined
      return { document }
    } finally {
      await chunks.return?.()
    }
  }

  /** False if the rest of the file cannot be read. */
  function emit(frames: Frame[], interpret: InterpretFrame, part: InputPart): boolean {
    const rows: Row[] = []
    for (const frame of frames) {
      const outcome = interpret(frame)
      if (outcome === undefined) continue
      records++
      if ('row' in outcome) rows.push(outcome.row)
      else {
        reportBad(frame, outcome, part)
        if (outcome.endsFile) return false
      }
    }
    if (badRecords === 0) options.staged.add(rows)
    listener.onProgress?.('read', records)
    return true
  }

  function reportBad(position: RecordPosition, { id, problems }: Rejection, { name }: InputPart): void {
    badRecords++
    listener.onBadRecord({ ...position, ...(name !== undefined && { input: name }), id }, problems)
  }

  for (let part: InputPart | undefined = first; part !== undefined; ) {
    const read = await readPart(part)
    part = read && (await part.next?.(read.document))
  }
  if (badRecords > 0) throw failure(counted(badRecords, 'bad record'))
  return records
}

/** Mappings are loaded on demand, since most files have Vitrine's own fields. */
async function interpretationOf(schema: RecordSchema, { map, timezone, report }: ParseOptions) {
  if (map === undefined) return withoutMap(schema)
  const zone = timezone ?? 'UTC'
  if (canonicalZoneName(zone) === undefined)
    throw new UserError(`this version does not know the workspace's timezone, ${zone}, which it needs to read dates`)
  const { mapping } = await import('./map/mapping.ts')
  return mapping(map.file, schema, zoneNamed(zone), report)
}

/** Also returns the document that contains the records, if there is one. */
async function recordsIn(
  file: OpenedFile,
  { hasNext }: InputPart,
  { list: { name }, map, isSnapshot }: ParseOptions,
): Promise<{ batches: Frames | Iterable<Frame[]>; document?: unknown }> {
  const { format, problem, line, chunks } = file
  const reject = (problem: string): { batches: Frame[][] } => ({ batches: [[{ line, problem, endsFile: true }]] })
  const expected = map?.file.format
  if (problem !== undefined) return reject(problem)
  if (format === 'empty') return { batches: [] }
  if (expected !== undefined && expected !== (format === 'csv' ? 'csv' : 'json'))
    return reject(`is not ${expected.toUpperCase()}, which the map ${map?.name} requires`)
  const pointer = map?.file.records ?? (format === 'document' ? `/${name}` : undefined)
  if (pointer !== undefined) {
    const parsed = await parseDocument(chunks)
    if ('problem' in parsed) return reject(parsed.problem)
    const { document } = parsed
    const [error] = map?.file.graphql === undefined ? [] : pointerFinder('/errors/0')(document)
    if (error !== undefined) return reject(`the query failed: ${clip(String(Object(error).message), 300)}`)
    const pointers = [...Object.values(map?.file.lookups ?? {}).map(({ records }) => records), pointer]
    const missing = pointers.find((array) => !Array.isArray(pointerFinder(array)(document)[0]))
    if (missing !== undefined) return reject(`there is no array at ${missing}`)
    const uncounted = isSnapshot && missingNumberIn(document, map?.file)
    if (uncounted) return reject(`there is no number at ${uncounted}`)
    const unread = isSnapshot && !hasNext?.(document) ? nextPageIn(document, map?.file) : undefined
    if (unread !== undefined)
      return reject(
        `is one page of several (see its ${unread}); pass all pages as files, the last one last, or name the next page in a map (nextPage)`,
      )
    return { batches: itemFrames(pointerFinder(pointer)(document)[0] as unknown[]), document }
  }
  const batches = await framesIn(file)
  if (batches !== undefined) return { batches }
  return reject(
    `is a JSON document whose records are not in ${name}; use a map to locate them: see --map and docs/maps.md`,
  )
}

/** An export with all fields repeats a column for every comment. */
const MAX_COLUMNS = 10_000

type InterpretFrame = (frame: Frame) => Outcome

const frameInterpreter =
  (interpret: Interpret, columnCount = 0): InterpretFrame =>
  (frame) => {
    const parsed = valueIn(frame, columnCount)
    if ('value' in parsed) return interpret(parsed.value)
    return { problems: [parsed.problem], endsFile: parsed.endsFile }
  }

/** The first row is the header. Without it, no other can be read. */
function csvInterpreter({ ofHeader }: Interpretation): InterpretFrame {
  let interpretRow: InterpretFrame | undefined
  return (frame) => {
    if (interpretRow !== undefined) return interpretRow(frame)
    if (!('cells' in frame)) return { problems: 'problem' in frame ? [frame.problem] : [], endsFile: true }
    const { length } = frame.cells
    if (length > MAX_COLUMNS)
      return { problems: [`the header has ${length} columns; at most ${MAX_COLUMNS} are read`], endsFile: true }
    const { interpret, ...header } = ofHeader(frame.cells.map((cell) => cell.trim()))
    if (interpret === undefined) return { ...header, endsFile: true }
    interpretRow = frameInterpreter(interpret, length)
    return header.problems.length === 0 ? undefined : header
  }
}
