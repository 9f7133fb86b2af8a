/** Random samples, as people export them: the kinds of values in a column, its name, and the layout of the file. */

export type Random = () => number

const pick = <T>(random: Random, items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
const whole = (random: Random, below: number) => Math.floor(random() * below)
const twoDigits = (n: number) => String(n).padStart(2, '0')
const day = (random: Random) => [
  2000 + whole(random, 60),
  twoDigits(1 + whole(random, 12)),
  twoDigits(1 + whole(random, 28)),
]

type Cell = string | number | boolean | null | readonly (string | number | null)[]

const WORDS = [
  'Alvés & Filhos',
  'Linen, white',
  'say "no"',
  'two\nlines',
  ' padded ',
  '東京',
  'a',
  '007',
  '-0',
  'null',
  '[x]',
  '🙂'.repeat(30),
]

/** What a column of each kind has in a cell. */
const kinds: Record<string, (random: Random) => Cell> = {
  text: (random) => pick(random, WORDS),
  long: (random) => 'x'.repeat(whole(random, 12_000)),
  email: (random) => `ann${whole(random, 50)}@acme.example`,
  url: (random) => `https://acme.example/${whole(random, 50)}?q=1#top`,
  instant: (random) => `${day(random).join('-')}T0${whole(random, 9)}:30:00${pick(random, ['Z', '+02:00', '.5Z'])}`,
  local: (random) => `${day(random).join('-')} 1${whole(random, 9)}:30`,
  date: (random) => day(random).join('-'),
  slashes: (random) => day(random).reverse().join('/'),
  american: (random) => {
    const [year, month, date] = day(random)
    return `${month}/${date}/${year} ${1 + whole(random, 12)}:05 PM`
  },
  mixedDates: (random) => pick(random, [day(random).join('-'), day(random).join('.')]),
  integer: (random) => whole(random, 1000) - 500,
  large: (random) => String(random()).replace('0.', '9'),
  decimal: (random) => (random() * 1000).toFixed(2),
  float: (random) => whole(random, 100_000) / 100,
  rounded: (random) => random() / 3,
  comma: (random) => `${whole(random, 900) + 1}.${String(whole(random, 1000)).padStart(3, '0')},50`,
  grouped: (random) => `${whole(random, 900) + 1},${String(whole(random, 1000)).padStart(3, '0')}`,
  boolean: (random) => random() < 0.5,
  yesNo: (random) => pick(random, ['Yes', 'no', 'NO']),
  choice: (random) => pick(random, ['draft', 'sent', 'to do']),
  list: (random) => Array.from({ length: whole(random, 4) }, () => pick(random, ['red', 'blue', 7, null, ''])),
  empty: () => null,
}

const NAMES = [
  ...[
    'id',
    'ID',
    'Order No',
    'order_no',
    'supplier',
    'Supplier Name',
    'state',
    'status',
    'Total (€)',
    'total',
    'source',
    'seq',
  ],
  ...[
    'createdAt',
    'Created at',
    'deleted',
    'limit',
    'query',
    'fields',
    '№',
    '2nd choice',
    'constructor',
    '__proto__',
    'currency',
    'a/b~c',
  ],
  ...[
    'x'.repeat(80),
    'An extremely long name of a column that nobody would want to type',
    'price',
    'dueAt',
    'dueAtAfter',
    'email',
    'tags',
  ],
]

interface RandomSample {
  columns: readonly { name: string; kind: string }[]
  rows: readonly (readonly Cell[])[]
}

export function randomSample(random: Random): RandomSample {
  const names = NAMES.toSorted(() => random() - 0.5).slice(0, 1 + whole(random, 12))
  const columns = names.map((name) => ({ name, kind: pick(random, Object.keys(kinds)) }))
  const emptiness = pick(random, [0, 0, 0.3])
  const rows = Array.from({ length: 1 + whole(random, pick(random, [3, 40])) }, (_, at) =>
    columns.map(({ kind, name }, i) => {
      // At least one cell is filled, or there would be no record.
      if (i > 0 && random() < emptiness) return null
      return /^id$/i.test(name) || i === 0 ? `${kind}-${at}` : (kinds[kind] as (random: Random) => Cell)(random)
    }),
  )
  return { columns, rows }
}

export function asCsv({ columns, rows }: RandomSample, delimiter: string): string {
  const cell = (value: Cell) => {
    const text = value === null ? '' : Array.isArray(value) ? value.join(' ') : String(value)
    return /["\n\r,;\t]|^ | $/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }
  const lines = [columns.map(({ name }) => name), ...rows].map((cells) => cells.map(cell).join(delimiter))
  return lines.join('\n')
}

export function asRecords({ columns, rows }: RandomSample, random: Random): object[] {
  const isNested = columns.map(() => random() < 0.2)
  return rows.map((row) => {
    const record: Record<string, unknown> = Object.create(null)
    for (const [i, value] of row.entries()) {
      const { name } = columns[i] as { name: string }
      if (value === null && random() < 0.5) continue
      record[name] = isNested[i] ? { value, more: { deep: 1 } } : value
    }
    return record
  })
}
