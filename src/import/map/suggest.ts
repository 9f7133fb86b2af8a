import type { RecordReader } from '../record.ts'
import { neededFeeds, sourcesOf } from './compile-map.ts'
import { readReadyMaps } from './load-map.ts'
import { segmentsOf } from './pointer.ts'
import type { MapFile } from './schema.ts'
import { fold } from './texts.ts'

/**
 * The hint at a ready map, for a file that is not in Vitrine's own words: at the one that finds most of its sources among
 * the names of the file's columns or members, and all of those that it cannot do without.
 */
export async function mapHint(
  names: readonly string[],
  format: MapFile['format'],
  record: Fields,
): Promise<string | undefined> {
  const have = new Set(names.map(fold))
  const fitting = (await readReadyMaps())
    .filter(({ file }) => file.format === format)
    .map(({ name, file }) => ({ name, ...fit(file, have, record) }))
    .filter(({ isUsable }) => isUsable)
    .sort((a, b) => b.share - a.share)
  const best = fitting.filter(({ share }) => share === fitting[0]?.share)
  if (best.length === 0) return undefined
  return `it looks like an export for ${best.map(({ name }) => `--map ${name}`).join(' or ')}`
}

type Fields = Pick<RecordReader, 'fieldNames' | 'requiredFields'>

function fit(map: MapFile, have: ReadonlySet<string>, { fieldNames, requiredFields }: Fields) {
  const isOfTable = Object.keys(map.fields).every((field) => fieldNames.includes(field))
  const first = (source: string) => fold(map.format === 'csv' ? source : (segmentsOf(source)[0] ?? ''))
  // A document is known by the arrays in it: the records, and those that they refer to.
  if (map.records !== undefined) {
    const arrays = [map.records, ...Object.values(map.lookups ?? {}).map(({ records }) => records)]
    const isDocument = arrays.length > 1 && arrays.every((array) => have.has(first(array)))
    return { isUsable: isOfTable && isDocument, share: 1 }
  }
  const isFound = (source: string) => have.has(first(source))
  const sources = [...new Set(sourcesOf(map).map(first))]
  const isWhole = neededFeeds(map, requiredFields).every((feed) => feed.sources.some(isFound))
  return { isUsable: isOfTable && isWhole, share: sources.filter((name) => have.has(name)).length / sources.length }
}
