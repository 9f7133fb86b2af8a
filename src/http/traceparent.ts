/** W3C Trace Context, 3.2.2: a version, a trace id, a span id and flags; ids that are all zeros and version ff are invalid. */
const FORM = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(?![^-])/
const LENGTH = 55

/**
 * The part of a traceparent that every version has; undefined if the text is none. What later versions may append is left out: it
 * could be anything.
 */
export function parseTraceparent(text: string | undefined): string | undefined {
  if (text === undefined || !FORM.test(text)) return undefined
  if (text.startsWith('00') && text.length > LENGTH) return undefined
  return text.slice(0, LENGTH)
}
