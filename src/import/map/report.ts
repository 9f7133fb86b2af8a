import { formatCount } from '../../lib/format-count.ts'
import type { Place } from '../frame.ts'
import { quotedText } from './texts.ts'

/** As many values as are named of one field; the others are counted. */
const MAX_NAMED = 5
const MAX_COUNTED = 10_000
/** More of a value or a name is not kept. */
const MAX_KEPT_CHARACTERS = 200
/** As many columns as are named that no field takes. */
const MAX_UNUSED = 60

interface Miss {
  count: number
  line: number
  meaning: string | null
}

/** Notes what a map finds in a file, to explain it: what fed each field, and what was not understood. */
export class MapReport {
  /** By field: the sources that fed it, each with its first value. */
  readonly #fed = new Map<string, Map<string, { text: string; meaning: string }>>()
  readonly #misses = new Map<string, Map<string, Miss>>()
  readonly #skipped = new Map<string, number>()
  readonly #sources = new Set<string>()
  #isUsed: (source: string) => boolean = () => true
  #line = 0

  /** Whether nothing of a file was seen. */
  get isEmpty(): boolean {
    return this.#sources.size === 0
  }

  at({ line }: Place): void {
    this.#line = line
  }

  /** Columns of the file, or members of a record, and which of them the map names. */
  sources(names: readonly string[], isUsed: (source: string) => boolean): void {
    for (const name of names) if (this.#sources.size < MAX_COUNTED) this.#sources.add(clipped(name))
    this.#isUsed = isUsed
  }

  found(field: string, source: string, text: string, meaning: string): void {
    const sources = this.#fed.get(field) ?? new Map<string, { text: string; meaning: string }>()
    this.#fed.set(field, sources)
    if (!sources.has(source)) sources.set(source, { text: clipped(text), meaning: clipped(meaning) })
  }

  /** What a text comes to in the end, such as a date. */
  read(field: string, text: string, value: string): void {
    for (const example of this.#fed.get(field)?.values() ?? [])
      if (example.meaning === clipped(text)) example.meaning = clipped(value)
  }

  missed(field: string, text: string, meaning: string | null): void {
    const misses = this.#misses.get(field) ?? new Map<string, Miss>()
    this.#misses.set(field, misses)
    const miss = misses.get(clipped(text))
    if (miss !== undefined) miss.count++
    else if (misses.size < MAX_COUNTED) misses.set(clipped(text), { count: 1, line: this.#line, meaning })
  }

  skipped(rule: string): void {
    this.#skipped.set(rule, (this.#skipped.get(rule) ?? 0) + 1)
  }

  /** Line by line, for people. `defaults` are what fields get if no source feeds them. */
  lines(map: string, fields: readonly string[], defaults: ReadonlyMap<string, string>): string[] {
    const rows = fields.flatMap((field) =>
      [...(this.#fed.get(field) ?? [])].map(([source, { text, meaning }]) => ({ field, source, text, meaning })),
    )
    const width = Math.min(Math.max(NO_SOURCE.length, ...rows.map(({ source }) => source.length)), WIDEST)
    const unused = [...this.#sources].filter((source) => !this.#isUsed(source))
    return [
      `What the map ${map} finds:`,
      ...rows.map(({ field, source, text, meaning }) => {
        const reading = meaning === text ? '' : `, read as ${quotedText(meaning)}`
        return `  ${source.padEnd(width)} → ${field}: such as ${quotedText(text)}${reading}`
      }),
      ...[...defaults].map(([field, value]) => {
        const when = this.#fed.has(field) ? 'otherwise' : 'always'
        return `  ${NO_SOURCE.padEnd(width)} → ${field}: ${when} ${quotedText(value)}`
      }),
      ...listed('Not used', unused),
      ...listed(
        'Not filled',
        fields.filter((field) => !this.#fed.has(field) && !defaults.has(field)),
      ),
      ...[...this.#misses].map(([field, misses]) => missesInWords(field, misses)),
      ...[...this.#skipped].map(([rule, count]) => `Left out because ${rule}: ${formatCount(count)}`),
    ]
  }
}

const NO_SOURCE = '(the map)'
const WIDEST = 40

const clipped = (text: string): string => text.slice(0, MAX_KEPT_CHARACTERS)

const listed = (what: string, names: readonly string[]): string[] => {
  if (names.length === 0) return []
  const more = names.length > MAX_UNUSED ? ` and ${names.length - MAX_UNUSED} more` : ''
  return [`${what}: ${names.slice(0, MAX_UNUSED).join(', ')}${more}`]
}

function missesInWords(field: string, misses: ReadonlyMap<string, Miss>): string {
  const most = [...misses].sort(([, a], [, b]) => b.count - a.count)
  const named = most.slice(0, MAX_NAMED).map(([text, { count, line, meaning }]) => {
    const times = count === 1 ? `line ${line}` : `${formatCount(count)} times, first on line ${line}`
    return `${quotedText(text)} is taken as ${meaning === null ? 'nothing' : quotedText(meaning)} (${times})`
  })
  const more = most.length > MAX_NAMED ? `; and ${most.length - MAX_NAMED} other values` : ''
  return `Not in the map, for ${field}: ${named.join('; ')}${more}`
}
