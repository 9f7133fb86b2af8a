import { once } from 'node:events'
import { showHidden } from '../lib/plain-text.ts'
import { redactTokens } from '../lib/redact.ts'
import { ExitCode } from './errors.ts'

/** Results go to stdout, as text or as one JSON value per line. */
export const print = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

/** Resolves when the reader has taken what was printed: what prints very much waits now and then. */
export async function drained(): Promise<void> {
  if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain')
}

export const printJson = (value: unknown): void => print(JSON.stringify(value))

/** Messages go to stderr. They may repeat what was typed, and that may have been a key. */
export const printMessage = (line: string): void => {
  process.stderr.write(`${redactTokens(line)}\n`)
}

/** Of the columns of a table, in characters. */
export type Widths = readonly number[]

/**
 * Long texts are not cut off: they may be what the operator searches for. A further page of the same table is given the
 * widths of the first, and has no header.
 */
export function printTable<Row>(
  rows: readonly Row[],
  columns: Record<string, (row: Row) => string | number | null>,
  former?: Widths,
): Widths {
  const names = Object.keys(columns)
  const cells = rows.map((row) => Object.values(columns).map((cell) => sanitize(cell(row))))
  const widths = former ?? names.map((name, i) => Math.max(name.length, ...cells.map((line) => (line[i] ?? '').length)))
  const lines = (former === undefined ? [names, ...cells] : cells).map((line) =>
    line
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  print(lines.join('\n'))
  return widths
}

/** A label may hold anything: characters that control the terminal or reverse its text must not reach it. */
export const sanitize = (value: string | number | null): string =>
  value === null ? '-' : showHidden(String(value)).replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '\uFFFD')

let adviceIfLost: string | undefined

/** Prints what cannot be printed again; `advice` says what to do if it did not reach stdout. */
export function printSecret(text: string, advice: string): void {
  adviceIfLost = advice
  process.stdout.write(`${text}\n`, (error) => {
    if (!error) adviceIfLost = undefined
  })
}

/** Ends the program when its result cannot be written. */
export function handleOutputErrors(): void {
  // Without a reader for the messages, the work goes on.
  process.stderr.on('error', () => {})
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (isOutputOptional) return
    const failure = `vitrine: the result could not be written to stdout (${code})`
    if (adviceIfLost !== undefined) printMessage(`${failure}; ${adviceIfLost}`)
    // The reader has seen enough, as `head` does.
    else if (code === 'EPIPE') process.exit()
    else printMessage(failure)
    process.exit(ExitCode.failure)
  })
}

let isOutputOptional = false

/** For a server, which goes on when nobody reads its output. */
export function ignoreOutputErrors(): void {
  isOutputOptional = true
}
