import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Frame, type Frames, positionText } from '../../src/import/format/frame.ts'
import type { RecordMap } from '../../src/import/map/load-map.ts'
import type { MapReport } from '../../src/import/map/report.ts'
import { parseRecords, type RecordListener } from '../../src/import/parse-records.ts'
import type { Row } from '../../src/lists/column.ts'
import type { List } from '../../src/lists/definition.ts'
import { currentTasks } from '../../src/resources/tasks/list.ts'

/** A file of test/import/maps, in the layout that its vendor exports. */
export const sample = (file: string): Buffer => readFileSync(join(import.meta.dirname, 'maps', file))

/** The result of reading a file with a map: the filled fields of each row, and the faults. */
export async function readMapped(
  file: string | Buffer,
  map: RecordMap | undefined,
  {
    list = currentTasks,
    timezone = null,
    chunkBytes = 65_536,
    report,
  }: { list?: List; timezone?: string | null; chunkBytes?: number; report?: MapReport } = {},
) {
  const rows: Row[] = []
  const complaints: string[] = []
  const listener: RecordListener = {
    onBadRecord: (place, problems) => complaints.push(`${place.line ?? positionText(place)}: ${problems.join('; ')}`),
  }
  const staged = { add: (batch: readonly Row[]) => void rows.push(...batch) }
  const options = { list, listener, staged, timezone, map, report }
  await parseRecords({ chunks: chunksOf(file, chunkBytes) }, options).catch((error) => {
    if (complaints.length === 0) throw error
  })
  return { rows: rows.map(filled), complaints }
}

const filled = (row: Row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))

/** A file in chunks of a size. */
export async function* chunksOf(file: string | Buffer, chunkBytes = Number.POSITIVE_INFINITY): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(file)
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
}

/** Takes frames as the import does: nothing is asked for after the last one. */
export async function framesUpToLast(frames: Frames): Promise<Frame[]> {
  const taken: Frame[] = []
  for await (const batch of frames)
    for (const frame of batch) {
      taken.push(frame)
      if ('endsFile' in frame) return taken
    }
  return taken
}
