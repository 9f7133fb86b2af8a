/** Ways in which a key may appear in a request. */
export const encodings: Record<string, (key: string) => string> = {
  'as it is': (key) => key,
  'after a scheme': (key) => `Bearer ${key}`,
  'as a field': (key) => `api_key=${key}`,
  'in quotes': (key) => JSON.stringify(key),
  'in capitals': (key) => key.toUpperCase(),
  'with its first character encoded': (key) => `%76${key.slice(1)}`,
  'with its underscore encoded': (key) => key.replace('_', '%5f'),
  'all encoded': (key) => percent(key),
  'all encoded, in capitals': (key) => percent(key).toUpperCase(),
  'encoded twice': (key) => percent(key).replaceAll('%', '%25'),
  'encoded five times': (key) => percent(key).replaceAll('%', '%25252525'),
  'encoded twice, every character': (key) => percent(percent(key)),
  'in base64': (key) => Buffer.from(key).toString('base64'),
  'in base64url': (key) => Buffer.from(`x:${key}`).toString('base64url'),
  'without its beginning': (key) => key.slice(4),
}

const percent = (text: string) => [...text].map((c) => `%${c.charCodeAt(0).toString(16)}`).join('')

/** Ten characters of a key may be visible. */
const SEEN = 10
/** Shorter pieces of base64 say little; the same number of bytes. */
const SEEN_IN_BASE64 = 16

/** The first part of a key, longer than may be visible, that a text contains in any of these ways. */
export function leakOf(text: string, key: string): string | undefined {
  let decoded = text
  for (let next = undo(decoded); next !== decoded; next = undo(decoded)) decoded = next
  const pieces = [
    ...windows(key, SEEN + 1),
    ...windows(Buffer.from(key).toString('base64'), SEEN_IN_BASE64),
    ...windows(Buffer.from(`x:${key}`).toString('base64url'), SEEN_IN_BASE64),
  ]
  const [one, other] = [text.toLowerCase(), decoded.toLowerCase()]
  return pieces.find((piece) => one.includes(piece.toLowerCase()) || other.includes(piece.toLowerCase()))
}

const windows = (text: string, length: number) =>
  Array.from({ length: text.length - length + 1 }, (_, at) => text.slice(at, at + length))

const undo = (text: string) =>
  text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
