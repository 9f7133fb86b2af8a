import {
  BACKSLASH,
  CLOSING_BRACE,
  CLOSING_BRACKET,
  COLON,
  COMMA,
  OPENING_BRACE,
  OPENING_BRACKET,
  QUOTE,
} from '../lib/json-text.ts'
import { type Frame, type Framer, isSpace, NEWLINE } from './frame.ts'
import { ArrayItems } from './json-frames.ts'

/** A longer name is none that leads to an array. */
const MAX_NAME_BYTES = 1024
/** As many members of the document as are named where an array is not found. */
const MAX_NAMED = 20

/** An array in a document, by the names and numbers on the way to it. */
export interface ArrayPlace {
  pointer: string
  segments: readonly string[]
}

/** A container on the way to an array. */
interface Container {
  isArray: boolean
  places: readonly ArrayPlace[]
  index: number
  name: string | undefined
  expects: 'name' | 'colon' | 'value' | 'comma'
}

/**
 * The items of arrays that lie within a larger document; each frame names its array. What leads to no array is passed
 * over, never kept: only strings and brackets are followed there.
 */
export class DocumentFramer implements Framer {
  readonly #places: readonly ArrayPlace[]
  readonly #found = new Set<string>()
  readonly #names: string[] = []
  #line: number
  #state: 'before' | 'inside' | 'after' = 'before'
  #open: Container[] = []
  /** How deep in a value that leads nowhere. */
  #passedDepth = 0
  #isInString = false
  #isEscaped = false
  #name: number[] = []
  #array: { items: ArrayItems; pointer: string } | undefined

  constructor(firstLine: number, places: readonly ArrayPlace[]) {
    this.#line = firstLine
    this.#places = places
  }

  /** Whether an array is read to its end. */
  isRead(pointer: string): boolean {
    return this.#found.has(pointer) && this.#array?.pointer !== pointer
  }

  async push(chunk: Buffer): Promise<Frame[]> {
    const frames: Frame[] = []
    let at = 0
    while (at !== -1 && at < chunk.length) {
      if (this.#array !== undefined) at = this.#scanArray(this.#array, chunk, at, frames)
      else {
        const problem = this.#step(chunk[at++] as number)
        if (problem !== undefined) return [...frames, { line: this.#line, problem, isLast: true }]
      }
    }
    return frames
  }

  async end(): Promise<Frame[]> {
    if (this.#array !== undefined) return [this.#array.items.cutShort()]
    const missing = this.#places.find(({ pointer }) => !this.#found.has(pointer))
    if (this.#state === 'after' && missing === undefined) return []
    const problem =
      this.#state === 'after'
        ? `there is no array at ${missing?.pointer}${this.#namesInWords}`
        : 'the file ends before its document does'
    return [{ line: this.#line, problem, isLast: true }]
  }

  get #namesInWords(): string {
    if (this.#names.length === 0) return ''
    const more = this.#names.length > MAX_NAMED ? ', …' : ''
    return `; the document has ${this.#names.slice(0, MAX_NAMED).join(', ')}${more}`
  }

  #scanArray({ items, pointer }: { items: ArrayItems; pointer: string }, chunk: Buffer, from: number, frames: Frame[]) {
    const found: Frame[] = []
    const at = items.scan(chunk, from, found)
    for (const frame of found) frames.push({ ...frame, array: pointer })
    if (at === -1) return at
    this.#line = items.line
    this.#array = undefined
    this.#endValue()
    return at
  }

  /** Returns what is wrong, if nothing more can be understood. */
  #step(byte: number): string | undefined {
    if (byte === NEWLINE) this.#line++
    if (this.#isInString) this.#stepInString(byte)
    else if (isSpace(byte)) return undefined
    else if (this.#state === 'after') return 'comes after the end of the document'
    else if (this.#passedDepth > 0) this.#pass(byte)
    else if (this.#state === 'before') {
      this.#state = 'inside'
      return this.#beginValue(byte, this.#places)
    } else return this.#stepInContainer(this.#open.at(-1) as Container, byte)
    return undefined
  }

  #stepInString(byte: number): void {
    const container = this.#passedDepth === 0 ? this.#open.at(-1) : undefined
    const isName = container?.expects === 'name'
    if (!this.#isEscaped && byte === QUOTE) {
      this.#isInString = false
      if (isName) this.#endName(container)
      return
    }
    this.#isEscaped = !this.#isEscaped && byte === BACKSLASH
    if (isName && this.#name.length <= MAX_NAME_BYTES) this.#name.push(byte)
  }

  #endName(container: Container): void {
    container.name = this.#name.length > MAX_NAME_BYTES ? undefined : nameIn(Buffer.from(this.#name))
    this.#name = []
    container.expects = 'colon'
    if (this.#open.length === 1 && this.#names.length <= MAX_NAMED && container.name !== undefined)
      this.#names.push(container.name)
  }

  #pass(byte: number): void {
    if (byte === QUOTE) this.#isInString = true
    else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) this.#passedDepth++
    else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) {
      this.#passedDepth--
      if (this.#passedDepth === 0) this.#endValue()
    }
  }

  #stepInContainer(container: Container, byte: number): string | undefined {
    const { isArray, expects } = container
    if (byte === (isArray ? CLOSING_BRACKET : CLOSING_BRACE)) {
      this.#open.pop()
      this.#endValue()
    } else if (byte === COMMA) {
      container.index++
      container.expects = isArray ? 'value' : 'name'
    } else if (expects === 'name' && byte === QUOTE) this.#isInString = true
    else if (expects === 'colon' && byte === COLON) container.expects = 'value'
    else if (expects === 'value') {
      const segment = isArray ? String(container.index) : container.name
      const at = this.#open.length - 1
      return this.#beginValue(
        byte,
        container.places.filter(({ segments }) => segments[at] === segment),
      )
    } else if (expects !== 'comma' || STRUCTURE.includes(byte)) return 'is not JSON'
    // The rest of a number, or of a word such as null.
    return undefined
  }

  /** `places` are those to which the value leads. */
  #beginValue(byte: number, places: readonly ArrayPlace[]): string | undefined {
    const place = places.find(({ segments }) => segments.length === this.#open.length)
    if (place !== undefined) {
      if (byte !== OPENING_BRACKET) return `what lies at ${place.pointer} is not an array`
      if (this.#found.has(place.pointer)) return `${place.pointer} is there twice`
      this.#found.add(place.pointer)
      this.#array = { items: new ArrayItems(this.#line), pointer: place.pointer }
    } else if (byte !== OPENING_BRACE && byte !== OPENING_BRACKET) {
      if (this.#open.length === 0) return 'is neither a JSON object nor an array'
      this.#isInString = byte === QUOTE
      this.#endValue()
    } else if (places.length === 0) this.#passedDepth = 1
    else {
      const isArray = byte === OPENING_BRACKET
      this.#open.push({ isArray, places, index: 0, name: undefined, expects: isArray ? 'value' : 'name' })
    }
    return undefined
  }

  #endValue(): void {
    const container = this.#open.at(-1)
    if (container === undefined) this.#state = 'after'
    else container.expects = 'comma'
  }
}

/** What cannot come after a value. */
const STRUCTURE = [QUOTE, COLON, OPENING_BRACE, OPENING_BRACKET, CLOSING_BRACE, CLOSING_BRACKET]

/** Undefined if the bytes are not the inside of a JSON string. */
function nameIn(bytes: Buffer): string | undefined {
  try {
    return JSON.parse(`"${bytes.toString('utf8')}"`)
  } catch {
    return undefined
  }
}
