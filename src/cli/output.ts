import { showHidden } from '../lib/plain-text.ts'

/** Results go to stdout, as one JSON value a line or as text. */
export const print = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

export const printJson = (value: unknown): void => print(JSON.stringify(value))

/** Aligned columns under their names; long texts are left whole, for they may be what is searched for. */
export function printTable<Row>(
  rows: readonly Row[],
  columns: Record<string, (row: Row) => string | number | null>,
): void {
  const names = Object.keys(columns)
  const cells = rows.map((row) => Object.values(columns).map((cell) => printable(cell(row))))
  const widths = names.map((name, i) => Math.max(name.length, ...cells.map((line) => (line[i] ?? '').length)))
  for (const line of [names, ...cells])
    print(
      line
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
}

/** A label may hold anything: characters that control the terminal or turn its text around must not reach it. */
export const printable = (value: string | number | null): string =>
  value === null ? '-' : showHidden(String(value)).replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '\uFFFD')
