/** Preloaded into a program, it sets only that program's clock a day ahead. */
const DAY_MS = 86_400_000
const RealDate = Date
const now = () => RealDate.now() + DAY_MS

globalThis.Date = class extends RealDate {
  constructor(...args: [] | [number | string]) {
    if (args.length === 0) super(now())
    else super(...args)
  }

  static override now(): number {
    return now()
  }
} as DateConstructor
