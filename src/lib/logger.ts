import { isoOf } from './instant.ts'

/** Pino's numbers, which log viewers know. */
export const levels = {
  fatal: 60,
  error: 50,
  warn: 40,
  info: 30,
  debug: 20,
  trace: 10,
  silent: Number.POSITIVE_INFINITY,
} as const

export type Level = keyof typeof levels

/** Writes JSON lines of at least the given level. */
export class Logger {
  readonly #sink: { write(line: string): void }
  readonly #level: Level
  readonly #clock: () => number

  constructor(sink: { write(line: string): void }, level: Level = 'info', clock = Date.now) {
    this.#sink = sink
    this.#level = level
    this.#clock = clock
  }

  /** Leaves out fields that are undefined. */
  write(level: Level, fields: object): void {
    if (levels[level] < levels[this.#level]) return
    const members = JSON.stringify(fields).slice(1)
    this.#sink.write(`{"level":${levels[level]},"time":"${isoOf(this.#clock())}",${members}\n`)
  }
}
