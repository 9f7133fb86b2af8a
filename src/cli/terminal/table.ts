import {
  drained,
  heading,
  isJson,
  type Printable,
  print,
  printJson,
  printMessage,
  printPart,
  sanitize,
  toJson,
} from './output.ts'

const MIN_WIDTH = 12
const GAP = '  '

type Cell<Row> = (row: Row) => Printable
type ShrinkingCell<Row> = { cell: Cell<Row> }
export type PrintedColumns<Row> = Record<string, Cell<Row> | ShrinkingCell<Row>>

/** Do not use this for ids, or for anything else that people copy. */
export const mayShrink = <Row>(cell: Cell<Row>): ShrinkingCell<Row> => ({ cell })

/** As a JSON array, or as a table. `ifNone` is printed instead of an empty table. */
export function printList<Row>(rows: readonly Row[], ifNone: string, columns: PrintedColumns<Row>) {
  if (isJson()) printJson(rows)
  else if (rows.length === 0) printMessage(ifNone)
  else printTable(rows, columns)
}

/** For a long list: a table, or with --json one row per line, or one array. Returns the number of rows. */
export async function printSlices<Row>(
  slices: AsyncIterable<readonly Row[]>,
  columns: PrintedColumns<Row>,
  { jsonOf = (row: Row): unknown => row, inArray = false } = {},
): Promise<number> {
  let count = 0
  let layout: Layout | undefined
  for await (const rows of slices) {
    if (rows.length === 0) continue
    const json = isJson() ? rows.map((row) => toJson(jsonOf(row))) : undefined
    if (json === undefined) layout = printTable(rows, columns, layout)
    else printPart(inArray ? `${count === 0 ? '[' : ','}${json.join(',')}` : `${json.join('\n')}\n`)
    count += rows.length
    await drained()
  }
  if (isJson() && inArray) printPart(count === 0 ? '[]\n' : ']\n')
  return count
}

/** Column widths, or one line per field if the columns do not fit. */
type Layout = readonly number[] | 'stacked'

/** Later pages of a table use the layout of the first one and have no header. */
export function printTable<Row>(rows: readonly Row[], columns: PrintedColumns<Row>, first?: Layout): Layout {
  const names = Object.keys(columns)
  const cells = Object.values(columns).map((column) => (typeof column === 'function' ? column : column.cell))
  const shrinks = Object.values(columns).map((column) => typeof column !== 'function')
  const terminalWidth = process.stdout.isTTY ? process.stdout.columns : undefined
  const lines = rows.map((row) => cells.map((cell) => sanitize(cell(row))))
  const layout = first ?? layOut([names, ...lines], shrinks, terminalWidth)
  if (layout === 'stacked') {
    const width = Math.max(...names.map((name) => name.length))
    for (const line of lines) print(names.map((name, i) => `${heading(name.padEnd(width))}${GAP}${line[i]}\n`).join(''))
    return layout
  }
  const fitted = (line: readonly string[]) =>
    line
      .map((cell, i) => fit(cell, layout[i] ?? 0, terminalWidth !== undefined && shrinks[i] === true))
      .join(GAP)
      .trimEnd()
  print([...(first === undefined ? [heading(fitted(names))] : []), ...lines.map(fitted)].join('\n'))
  return layout
}

/** Shrinks the widest shrinkable column until all columns fit. Without a terminal, they always do. */
export function layOut(lines: string[][], shrinks: readonly boolean[], terminalWidth: number | undefined): Layout {
  // Math.max(...) does not take as many arguments as there may be lines.
  const widths = shrinks.map((_, i) => lines.reduce((width, line) => Math.max(width, displayWidth(line[i] ?? '')), 0))
  if (terminalWidth === undefined) return widths
  const spare = () => terminalWidth - widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1))
  while (spare() < 0) {
    const widest = Math.max(...widths.filter((width, i) => shrinks[i] && width > MIN_WIDTH))
    const at = widths.findIndex((width, i) => shrinks[i] && width === widest)
    if (at === -1) return 'stacked'
    widths[at] = widest - 1
  }
  // Later pages may have longer texts, so the last column gets the rest of the line.
  return shrinks.at(-1) ? [...widths.slice(0, -1), (widths.at(-1) ?? 0) + spare()] : widths
}

export function fit(text: string, width: number, mayCut: boolean): string {
  const excess = displayWidth(text) - width
  if (excess <= 0) return text + ' '.repeat(-excess)
  if (!mayCut) return text
  let [start, left] = ['', width - 1]
  for (const character of charactersOf(text)) {
    left -= widthOf(character)
    if (left < 0) break
    start += character
  }
  return fit(`${start.trimEnd()}…`, width, false)
}

/** East Asian characters and emoji take two terminal columns. */
const WIDE =
  /[[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uFE0F\u3000-\u303E\uFF01-\uFF60]--[\uFF65-\uFFDC]]/v

const widthOf = (character: string): number => (WIDE.test(character) ? 2 : 1)

/** Most texts are ASCII and do not need the segmenter, which is slow to load. */
const displayWidth = (text: string): number =>
  /^[\x20-\x7e]*$/.test(text) ? text.length : charactersOf(text).reduce((sum, character) => sum + widthOf(character), 0)

let segmenter: Intl.Segmenter | undefined

function charactersOf(text: string): string[] {
  segmenter ??= new Intl.Segmenter()
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}
