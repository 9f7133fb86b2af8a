/** Inspects JSON before parsing. Looks only at strings and brackets, and leaves validation to the parser. */

export const QUOTE = 0x22
export const COMMA = 0x2c
export const OPENING_BRACKET = 0x5b
export const BACKSLASH = 0x5c
export const CLOSING_BRACKET = 0x5d
export const OPENING_BRACE = 0x7b
export const CLOSING_BRACE = 0x7d

/** Requests need only a few levels, and a mebibyte of brackets takes JSON.parse 0.3 s. */
const MAX_DEPTH = 64
/** Members and elements. A mebibyte of empty objects or short names takes JSON.parse 0.1 to 0.2 s. */
const MAX_VALUES = 10_000

/** Check this before parsing, which blocks all requests. */
export function tooMuchToParse(text: string, maxValues = MAX_VALUES): string | undefined {
  let depth = 0
  let values = 1
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = stringEnd(text, at)
    else if (code === COMMA) {
      if (++values > maxValues) return `holds more than ${maxValues} values`
    } else if (code === OPENING_BRACE || code === OPENING_BRACKET) {
      if (++depth > MAX_DEPTH) return `nests deeper than ${MAX_DEPTH} levels`
    } else if (code === CLOSING_BRACE || code === CLOSING_BRACKET) depth--
  }
  return undefined
}

/** Only in the outermost object. The last duplicate wins, as in JSON.parse. */
export function numberAsWritten(text: string, name: string): string | undefined {
  const written = new Map<unknown, string>()
  const note = function (this: unknown, key: string, value: unknown, { source }: { source?: string }): unknown {
    if (key === name && typeof value === 'number' && source !== undefined) written.set(this, source)
    return value
  }
  try {
    return written.get(JSON.parse(text, note as Parameters<typeof JSON.parse>[1]))
  } catch {
    // It nests deeper than the runtime supports.
    return undefined
  }
}

function stringEnd(text: string, start: number): number {
  let at = start + 1
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) break
    if (code === BACKSLASH) at++
  }
  return at
}

export function parseOrExplain(text: string, maxValues?: number): { value: unknown } | { problem: string } {
  const tooMuch = tooMuchToParse(text, maxValues)
  if (tooMuch !== undefined) return { problem: tooMuch }
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { problem: `is not JSON: ${(error as Error).message}` }
  }
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
