import { importedColumns, type Table } from '../../database/table.ts'
import { feedOf } from './check-map.ts'
import { conditionInWords, conditionTest } from './condition.ts'
import type { MapContext, TextReader } from './context.ts'
import { feedReader } from './feed.ts'
import type { Feed, MapFile } from './schema.ts'
import { listOf } from './texts.ts'

export interface CompiledMap {
  /** Which rule leaves a record out, if one does. */
  skipRule(record: unknown): string | undefined
  feeds: { field: string; read: TextReader }[]
}

export function compileMap(map: MapFile, table: Table, context: MapContext): CompiledMap {
  const columns = importedColumns(table).filter(({ field }) => Object.hasOwn(map.fields, field))
  const feeds = columns.map((column) => {
    const feed = feedOf(map.fields[column.field] ?? '')
    const read = feedReader(column.field, feed, column, context)
    return { field: column.field, read: feed.required && map.format === 'json' ? present(feed, read, context) : read }
  })
  const rules = [
    ...(map.only ?? []).map((condition) => ({ condition, holds: conditionTest(condition, context), leavesOut: false })),
    ...(map.skipIf ?? []).map((condition) => ({
      condition,
      holds: conditionTest(condition, context),
      leavesOut: true,
    })),
  ]
  return {
    feeds,
    skipRule(record) {
      const rule = rules.find(({ holds, leavesOut }) => holds(record) === leavesOut)
      return rule && `${rule.leavesOut ? '' : 'it is not true that '}${conditionInWords(rule.condition)}`
    },
  }
}

/** A member that must be there is looked for in every record; a column once, in the header. */
function present(feed: Feed, read: TextReader, { find }: MapContext): TextReader {
  const sources = sourcesOfFeed(feed)
  const accessors = sources.flatMap((source) => find(source) ?? [])
  return (record, problems) => {
    if (accessors.some((values) => values(record).length > 0)) return read(record, problems)
    problems.push(`cannot be read: the record has no ${sources.join(' or ')}`)
    return undefined
  }
}

const sourcesOfFeed = ({ from, parts = [] }: Feed): readonly string[] => [
  ...listOf(from),
  ...parts.flatMap((part) => listOf(part.from)),
]

/** Every column or pointer that a map names. */
export const sourcesOf = ({ fields, only = [], skipIf = [] }: MapFile): string[] => [
  ...Object.values(fields).flatMap((feed) => sourcesOfFeed(feedOf(feed))),
  ...[...only, ...skipIf].flatMap(({ from }) => listOf(from)),
]

/** The fields that cannot do without a source, and those that they have. */
export const neededFeeds = ({ fields }: MapFile, requiredFields: readonly string[]) =>
  Object.entries(fields)
    .map(([field, feed]) => ({ field, feed: feedOf(feed) }))
    .filter(({ field, feed }) => feed.required || (requiredFields.includes(field) && feed.default === undefined))
    .map(({ field, feed }) => ({ field, sources: sourcesOfFeed(feed) }))
    .filter(({ sources }) => sources.length > 0)
