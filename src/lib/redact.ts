import { SECRET_DIGITS, TOKEN_START, tokenPattern } from './key-format.ts'

const KEYS = tokenPattern(SECRET_DIGITS, 'gi')
/** Sessions, links, keys in base64 and keys without their prefix are at least this long. */
const LONG_RUNS = /[\w-]{43,}/g
const MAY_HOLD_SECRET = /vtr_|%|[\w-]{43}/i

const ENCODED = /%(?:25)*([0-9a-f]{2})/gi
/** Each round decodes one or more layers. Only a text that hides something needs many rounds. */
const MAX_ROUNDS = 8

export const REDACTED = '[redacted]'

/** Call this before logging, storing or showing a text. Also finds secrets that are percent-encoded. */
export function redactTokens(text: string): string {
  if (!MAY_HOLD_SECRET.test(text)) return text
  const shown = decoded(text)
  if (shown === undefined) return REDACTED
  const redacted = shown
    .replace(KEYS, `${TOKEN_START}${REDACTED}`)
    // Slugs and file names may be this long, but are lower case.
    .replace(LONG_RUNS, (run) => (/[A-Z]/.test(run) ? REDACTED : run))
  return redacted === shown ? text : redacted
}

/** A key without its prefix, or in base64. No word of any language is this long. */
const LIKE_A_KEY = /[0-9A-Za-z]{43,}/g

export function holdsKey(text: string): boolean {
  const shown = decoded(text)
  if (shown === undefined || shown.search(KEYS) !== -1) return true
  return shown.match(LIKE_A_KEY)?.some((run) => /[A-Z]/.test(run)) ?? false
}

/** For forms and searches. A name that can be saved stays the same, although it may be a long run of words joined by dashes. */
export const redactName = (text: string): string => (holdsKey(text) ? redactTokens(text) : text)

/** Undefined if there are too many layers. Keys are ASCII, so bytes are treated as characters. */
export function decoded(text: string): string | undefined {
  let shown = text
  for (let round = 0; round < MAX_ROUNDS; round++) {
    if (!shown.includes('%')) return shown
    const next = shown.replace(ENCODED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    if (next === shown) return shown
    shown = next
  }
  return shown.search(ENCODED) === -1 ? shown : undefined
}
