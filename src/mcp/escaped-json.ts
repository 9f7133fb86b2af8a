import { codePoint, IN_PLACE } from '../lib/plain-text.ts'

/** Escapes markup and hidden characters for models. The value stays the same, but tag characters become visible. */
export function escapedJson(json: string): string {
  const unmarked = json.replaceAll('<', String.raw`\u003c`).replaceAll('>', String.raw`\u003e`)
  return BEYOND_ASCII.test(unmarked) ? unmarked.replace(NOTABLE, escapeHidden) : unmarked
}

const BEYOND_ASCII = /[^\0-\x7e]/

/** The flags of England, Scotland and Wales are spelt with tag characters. */
const FLAG = String.raw`\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}`

/** A flag, or a run of invisible characters: controls, separators, annotations and default-ignorables. */
const NOTABLE = new RegExp(
  String.raw`${FLAG}|[\x7F-\x9F\u2028\u2029\uFFF9-\uFFFB\p{Default_Ignorable_Code_Point}]+`,
  'gv',
)

/** A legitimate invisible character, such as a joiner between emoji. As part of NOTABLE it would take twice as long. */
const IN_ITS_PLACE = new RegExp(
  String.raw`${IN_PLACE}|\u200D(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\uFE0F?.)(?=\p{Extended_Pictographic})`,
  'vy',
)

/** Leaves the legitimate start of a run unchanged. */
function escapeHidden(run: string, at: number, text: string): string {
  if (run.startsWith('\u{1F3F4}')) return run
  let inPlace = 0
  IN_ITS_PLACE.lastIndex = at
  while (inPlace < run.length && IN_ITS_PLACE.test(text)) inPlace = IN_ITS_PLACE.lastIndex - at
  return run.slice(0, inPlace) + [...run.slice(inPlace)].map(escapeCharacter).join('')
}

/** Shows a tag character by its code point, and any other as a JSON escape. */
const escapeCharacter = (character: string): string =>
  character >= '\u{E0000}' && character <= '\u{E007F}' ? `[${codePoint(character)}]` : escaped(character)

/** A character outside the basic plane takes two escapes. */
const escaped = (character: string): string =>
  character.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
