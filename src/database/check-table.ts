import { isPlainText } from '../lib/plain-text.ts'
import { copiedTables, notCopied } from './copied-tables.ts'
import { BUILT_IN_COLUMNS, type Column, columnsOf, type Table } from './table.ts'

/** PostgreSQL cuts names off at 63 bytes: the longest of ours is that of an index, `<table>_by_<column>`. */
const MAX_TABLE_LENGTH = 24
const MAX_COLUMN_LENGTH = 35

/** Besides our own, the word by which an import record deletes, and those that a database gives to every table itself. */
const RESERVED_COLUMNS: readonly string[] = [
  ...BUILT_IN_COLUMNS,
  'deleted',
  ...'rowid oid tableoid xmin cmin xmax cmax ctid'.split(' '),
]

/** Refuses a definition that no database could be given, or that would not mean what it says, when it is written. */
export function checkTable(table: Table): void {
  const { name, singular, version } = table
  const demand = (isMet: boolean, demanded: string) => {
    if (!isMet) throw new Error(`table ${name}: ${demanded}`)
  }
  const ownTables = [...copiedTables([]).map((own) => own.name), ...Object.keys(notCopied)]
  demand(
    /^[a-z][a-z0-9]*$/.test(name) && name.length <= MAX_TABLE_LENGTH,
    `its name must be of lower-case letters and digits, at most ${MAX_TABLE_LENGTH}`,
  )
  demand(!ownTables.includes(name), 'the service has a table of this name')
  demand(/^[a-z][a-z0-9-]*$/.test(singular), 'its singular must be of lower-case letters, digits and hyphens')
  demand(Number.isSafeInteger(version) && version >= 1, 'its version must be a whole number from 1')
  const { id } = table.columns
  demand(id.kind === 'text' && !id.isNullable, 'id must be a text that is not nullable')
  for (const column of columnsOf(table)) {
    const { field } = column
    demand(/^[a-z][a-zA-Z0-9]*$/.test(field), `${field} must be of letters and digits, and begin with a small letter`)
    demand(
      column.name.length <= MAX_COLUMN_LENGTH,
      `the column ${column.name} must have at most ${MAX_COLUMN_LENGTH} characters`,
    )
    demand(!RESERVED_COLUMNS.includes(column.name) && !(field in {}), `${field} is a name that is taken`)
    for (const demanded of limitFaults(column)) demand(false, `${field} ${demanded}`)
  }
}

function limitFaults(column: Column): string[] {
  const { kind, isNullable, maxLength = 1, minimum = 0, maximum = 0, choices = [], default: preset } = column
  const faults: [isFault: boolean, demanded: string][] = [
    [!Number.isSafeInteger(maxLength) || maxLength < 1, 'must have a maxLength of at least 1'],
    [
      !Number.isSafeInteger(minimum) || !Number.isSafeInteger(maximum) || minimum > maximum,
      'must have whole numbers as minimum and maximum, in this order',
    ],
    [
      kind === 'choice' && !(choices.length > 0 && choices.every((word) => /^[a-zA-Z0-9_-]+$/.test(word))),
      'must have choices of letters, digits, underscores and hyphens',
    ],
    [new Set(choices).size < choices.length, 'must have each choice once'],
    [isNullable && preset !== undefined, 'must be nullable or have a default, not both'],
    [
      (kind === 'text' && preset !== undefined && !isText(preset, maxLength)) ||
        (kind === 'integer' && preset !== undefined && !isWithin(preset, minimum, maximum)),
      'must have a default within its limits',
    ],
  ]
  return faults.filter(([isFault]) => isFault).map(([, demanded]) => demanded)
}

const isText = (value: string | number, maxLength: number) =>
  typeof value === 'string' && value !== '' && [...value].length <= maxLength && isPlainText(value)

const isWithin = (value: string | number, minimum: number, maximum: number) =>
  Number.isSafeInteger(value) && Number(value) >= minimum && Number(value) <= maximum
