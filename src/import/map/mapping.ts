import type { Row, Table } from '../../database/table.ts'
import type { Zone } from '../../lib/zone.ts'
import type { CsvColumns } from '../csv-columns.ts'
import type { Place } from '../frame.ts'
import type { RecordReader } from '../record.ts'
import type { Layout } from '../sniff.ts'
import { type CompiledMap, compileMap, neededFeeds, sourcesOf } from './compile-map.ts'
import type { MapContext } from './context.ts'
import type { RecordMap } from './load-map.ts'
import { Lookups } from './lookups.ts'
import { type Accessor, pointerAccessor, segmentsOf } from './pointer.ts'
import type { MapReport } from './report.ts'
import type { MapFile } from './schema.ts'
import { fold } from './texts.ts'

/** An export of all fields repeats a column for every comment. */
const MAX_COLUMNS = 10_000

/** A map at work on one file. */
export class Mapping {
  readonly layout: Layout
  readonly #map: MapFile
  readonly #reader: RecordReader
  readonly #report: MapReport | undefined
  readonly #lookups: Lookups
  #compiled: CompiledMap | undefined

  constructor({ name, file }: RecordMap, table: Table, reader: RecordReader, zone: Zone, report?: MapReport) {
    this.#map = file
    this.#reader = reader
    this.#report = report
    this.#lookups = new Lookups(file.lookups ?? {})
    const compile = (find: MapContext['find']): void => {
      const lookUp: MapContext['lookUp'] = (lookup, key) => this.#lookups.find(lookup, key)
      this.#compiled = compileMap(file, table, { find, lookUp, zone, ...(report && { report }) })
    }
    if (file.format === 'json') compile(pointerAccessor)
    this.layout = {
      columns: this.#columns(compile),
      member: table.name,
      only: { format: file.format, map: name },
      ...(file.records !== undefined && { arrays: [...this.#lookups.arrays, file.records] }),
    }
  }

  /** Undefined for a record that is left out, and for an item that records refer to. */
  read(value: unknown, place: Place & { array?: string }): { row: Row } | { problems: string[] } | undefined {
    if (place.array !== undefined && this.#lookups.arrays.includes(place.array)) {
      const problems = this.#lookups.add(place.array, value)
      return problems.length === 0 ? undefined : { problems }
    }
    this.#report?.at(place)
    const { skipRule, feeds } = this.#compiled as CompiledMap
    if (this.#map.format === 'json') this.#noteMembers(value)
    const rule = skipRule(value)
    if (rule !== undefined) {
      this.#report?.skipped(rule)
      return undefined
    }
    const record: Record<string, string | number> = {}
    const problems: string[] = []
    for (const { field, read } of feeds) {
      const said: string[] = []
      const text = read(value, said)
      if (text !== undefined) record[field] = this.#reader.fromText(field, text)
      for (const problem of said) problems.push(`${field} ${problem}`)
    }
    if (problems.length > 0) return { problems }
    const read = this.#reader.read(record)
    return 'row' in read ? read : { problems: read.faults.map(({ field, problem }) => `${field} ${problem}`) }
  }

  #noteMembers(record: unknown): void {
    if (this.#report === undefined) return
    const used = new Set(sourcesOf(this.#map).map((source) => segmentsOf(source)[0]))
    this.#report.sources(Object.keys(Object(record)), (name) => used.has(name))
  }

  /** Columns are known by their names, whatever the case; a repeated one has several values. */
  #columns(compile: (find: MapContext['find']) => void): CsvColumns {
    return {
      maxColumns: MAX_COLUMNS,
      readHeader: (names) => {
        const indexes = Map.groupBy(names.keys(), (i) => fold(names[i] ?? ''))
        compile((source): Accessor | undefined => {
          const at = indexes.get(fold(source))
          return at && ((cells) => at.map((i) => (cells as string[])[i]))
        })
        const used = new Set(sourcesOf(this.#map).map(fold))
        this.#report?.sources(names, (name) => used.has(fold(name)))
        const problems = neededFeeds(this.#map, this.#reader.requiredFields)
          .filter(({ sources }) => !sources.some((source) => indexes.has(fold(source))))
          .map(({ field, sources }) => `there is no column ${sources.join(' or ')}, which gives the ${field}`)
        return { problems, isUseless: problems.length > 0, isStrange: problems.length > 0 }
      },
      toValue: (cells) => cells,
    }
  }
}
