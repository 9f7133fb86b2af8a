import { type Columns, publishedColumns, type Row } from '../../database/table.ts'
import { Zone } from '../../lib/zone.ts'
import { type Interpretation, ownFields } from '../interpretation.ts'
import { mapping } from '../map/mapping.ts'
import type { MapFile } from '../map/schema.ts'
import { recordSchema } from '../record-schema.ts'
import type { Sample } from './sample.ts'

const MAX_SHOWN = 5

/** Reads the sample as an import would: as it is, or else with the map. */
export function readAsDrafted(sample: Sample, columns: Columns, map: MapFile) {
  const table = { name: 'rows', singular: 'row', version: 1, columns, sqlite: [], postgres: [] }
  const schema = recordSchema(table)
  const own = sample.records === undefined ? outcomesOf(sample, ownFields(schema)) : undefined
  const needsMap = own === undefined || own.some(({ problems }) => problems.length > 0)
  const outcomes = needsMap ? outcomesOf(sample, mapping(map, table, schema, new Zone('UTC'), undefined)) : own
  const bad = outcomes.filter(({ problems }) => problems.length > 0)
  const row = outcomes.find((outcome) => outcome.row !== undefined)?.row ?? {}
  return {
    needsMap,
    example: Object.fromEntries(publishedColumns(table).map(({ field }) => [field, row[field] ?? null])),
    problems: [
      ...bad
        .slice(0, MAX_SHOWN)
        .map(({ at, problems }) => `record ${at + 1} cannot be imported yet: ${problems.join('; ')}`),
      ...(bad.length > MAX_SHOWN ? [`${bad.length - MAX_SHOWN} more records cannot be imported yet`] : []),
    ],
  }
}

interface Read {
  at: number
  row?: Row
  problems: readonly string[]
}

function outcomesOf({ header, raw }: Sample, { ofHeader, ofJson }: Interpretation): Read[] {
  const { interpret, problems } = header === undefined ? { interpret: ofJson(), problems: [] } : ofHeader(header)
  if (interpret === undefined || problems.length > 0) return [{ at: 0, problems }]
  return raw.map((value, at) => ({ at, problems: [], ...interpret(value, { item: at + 1 }) }))
}
