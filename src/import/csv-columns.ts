import type { RecordReader } from './record.ts'

/** What the columns of a CSV file say. */
export interface CsvColumns {
  readonly maxColumns: number
  /** What is wrong with the header. If it is useless, no row can be understood; if it is strange, a map may help. */
  readHeader(names: readonly string[]): { problems: string[]; isUseless: boolean; isStrange?: boolean }
  toValue(cells: readonly string[]): unknown
}

/** Columns named like the fields of a record. An empty cell says nothing of its field. */
export class FieldColumns implements CsvColumns {
  /** No resource has as many fields; the rest would only be named as unknown. */
  readonly maxColumns = 1000
  readonly #record: RecordReader
  #names: readonly string[] = []

  constructor(record: RecordReader) {
    this.#record = record
  }

  /** A field that is not known is reported once, here, and not again on every line. */
  readHeader(names: readonly string[]) {
    const { fieldNames, requiredFields } = this.#record
    this.#names = names
    const unknown = names.filter((name) => !fieldNames.includes(name))
    const missing = requiredFields.filter((name) => !names.includes(name))
    const repeated = fieldNames.filter((field) => names.indexOf(field) !== names.lastIndexOf(field))
    const problems = [
      ...unknown.map((name) => (name === '' ? 'a column has no name' : `${name} is not known here`)),
      ...missing.map((name) => `${name} is required`),
      ...repeated.map((name) => `${name} is there twice`),
    ]
    if (missing.length > 0) problems.push('a CSV file begins with the names of its fields')
    const isUseless = missing.length + repeated.length > 0
    return { problems, isUseless, isStrange: missing.length > 0 && unknown.length > 0 }
  }

  toValue(cells: readonly string[]): Record<string, string | number> {
    const record: Record<string, string | number> = {}
    this.#names.forEach((name, i) => {
      const cell = cells[i]
      if (cell && this.#record.fieldNames.includes(name)) record[name] = this.#record.fromText(name, cell)
    })
    return record
  }
}
