const KEY_START = 'vtr_'
/** More of a key than the six characters that its display prefix shows. */
const KEYS = /vtr_[0-9a-z]{7,}/gi
/** A key without its beginning, a session, a link, a key in base64: all are at least this long. */
const LONG_RUNS = /[\w-]{43,}/g
const MAY_HOLD_SECRET = /vtr_|%|[\w-]{43}/i

const ENCODED = /%(?:25)*([0-9a-f]{2})/gi
/** Each round decodes percent signs encoded to any depth; only a text that hides something needs more rounds. */
const MOST_ROUNDS = 8

/**
 * Removes keys and other secrets from a text before it is logged, stored or shown, however its percent signs were encoded.
 * A text without any is returned unchanged.
 */
export function redactTokens(text: string): string {
  if (!MAY_HOLD_SECRET.test(text)) return text
  const shown = decoded(text)
  if (shown === undefined) return '[redacted]'
  const redacted = shown
    .replace(KEYS, `${KEY_START}[redacted]`)
    // Slugs and file names may be as long, but are lower case.
    .replace(LONG_RUNS, (run) => (/[A-Z]/.test(run) ? '[redacted]' : run))
  return redacted === shown ? text : redacted
}

/** A key without its beginning, or in base64; no word of any language is this long. */
const LIKE_A_KEY = /[0-9A-Za-z]{43,}/g

/** Whether a text contains more of a key than may be stored. */
export function holdsKey(text: string): boolean {
  const shown = decoded(text)
  if (shown === undefined || shown.search(KEYS) !== -1) return true
  return shown.match(LIKE_A_KEY)?.some((run) => /[A-Z]/.test(run)) ?? false
}

/** Decodes every layer of percent-encoding; undefined if there are too many. Keys are ASCII, so bytes are read as characters. */
export function decoded(text: string): string | undefined {
  let shown = text
  for (let round = 0; round < MOST_ROUNDS; round++) {
    if (!shown.includes('%')) return shown
    const next = shown.replace(ENCODED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    if (next === shown) return shown
    shown = next
  }
  return shown.search(ENCODED) === -1 ? shown : undefined
}
