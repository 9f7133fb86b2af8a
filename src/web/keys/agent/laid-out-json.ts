import { formatCount } from '../../../lib/format-count.ts'

/** A body as people read it. */
export interface LaidOut {
  text: string
  /** Whether anything was left out. */
  isCut: boolean
}

/** Of what is shown, in characters: a page stays under 60 KB even if each of them is escaped. */
const MAX_SHOWN = 8000
/** A larger body is shown as it begins: parsing all of it would delay the requests of others. */
const MAX_PARSED_BYTES = 1024 * 1024
const MAX_ITEMS = 10
const MAX_TEXT = 300
const MAX_NAME = 40

/** The value of a body in JSON; undefined if it is none, or too large to parse here. */
export function parsedBody(body: Buffer): unknown {
  if (body.length > MAX_PARSED_BYTES) return undefined
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}

export function layOutBody(body: Buffer): LaidOut {
  const value = parsedBody(body)
  if (value !== undefined) return layOutJson(value)
  return { text: body.subarray(0, MAX_SHOWN).toString(), isCut: body.length > MAX_SHOWN }
}

/** Indented. Long lists and texts are cut, and say how much is missing. */
export function layOutJson(value: unknown): LaidOut {
  const writer = new Writer()
  writer.write(value, '\n')
  const { text, isCut } = writer
  return text.length > MAX_SHOWN
    ? { text: `${text.slice(0, MAX_SHOWN).toWellFormed()}\n…`, isCut: true }
    : { text, isCut }
}

class Writer {
  text = ''
  isCut = false

  /** `newLine` is the line break with the indentation of the value. */
  write(value: unknown, newLine: string): void {
    if (this.text.length > MAX_SHOWN) return
    if (typeof value === 'string') this.#writeText(value)
    else if (isShortList(value)) this.text += `[${value.map((item) => JSON.stringify(item)).join(', ')}]`
    else if (Array.isArray(value))
      this.#writeAll(
        '[]',
        value.map((item) => ['', item]),
        newLine,
      )
    else if (typeof value === 'object' && value !== null)
      this.#writeAll(
        '{}',
        Object.entries(value).map(([name, member]) => [`${JSON.stringify(name)}: `, member]),
        newLine,
      )
    else this.text += JSON.stringify(value)
  }

  #writeText(value: string): void {
    const missing = value.length - MAX_TEXT
    if (missing <= 0) {
      this.text += JSON.stringify(value)
      return
    }
    this.text += `${JSON.stringify(value.slice(0, MAX_TEXT).toWellFormed())} … ${formatCount(missing)} more characters`
    this.isCut = true
  }

  #writeAll(
    [open, close]: string,
    parts: readonly (readonly [start: string, value: unknown])[],
    newLine: string,
  ): void {
    // An object of many members is cut by its length alone.
    const shown = open === '[' ? parts.slice(0, MAX_ITEMS) : parts
    const deeper = `${newLine}  `
    this.text += open
    shown.forEach(([start, value], index) => {
      if (this.text.length > MAX_SHOWN) return
      this.text += `${index > 0 ? ',' : ''}${deeper}${start}`
      this.write(value, deeper)
    })
    const missing = parts.length - shown.length
    if (missing > 0) this.text += `,${deeper}… ${formatCount(missing)} more`
    this.isCut ||= missing > 0
    this.text += `${parts.length > 0 ? newLine : ''}${close}`
  }
}

/** On one line: a few names or numbers. */
const isShortList = (value: unknown): value is (string | number)[] =>
  Array.isArray(value) &&
  value.length <= MAX_ITEMS * 2 &&
  value.every((item) => typeof item === 'number' || (typeof item === 'string' && item.length <= MAX_NAME))
