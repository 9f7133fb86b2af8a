import { codePoint, IN_PLACE } from './plain-text.ts'

/**
 * JSON in which nothing hides and nothing looks like markup, for readers that may take what they read for instructions. The
 * value stays the same, except that tag characters, which nothing draws and models read, become visible text.
 */
export function escapedJson(json: Buffer): Buffer {
  const bytes = json.toString('latin1')
  const unmarked = MARKUP.test(bytes) ? withoutMarkup(json) : json
  if (!SUSPECT.test(bytes)) return unmarked
  return Buffer.from(unmarked.toString().replace(NOTABLE, escapeHidden))
}

const MARKUP = /[<>]/
const isMarkup = (byte: number) => byte === 0x3c || byte === 0x3e
/** Of `<` and of `>`: only the last digit differs. */
const ESCAPE = Buffer.from('\\u003')
const [LAST_OF_LESS, LAST_OF_GREATER] = [0x63, 0x65]

/** Byte by byte: a text that is full of them takes many times as long to replace them in. */
function withoutMarkup(json: Buffer): Buffer {
  let count = 0
  for (let i = 0; i < json.length; i++) if (isMarkup(json[i] as number)) count++
  const result = Buffer.allocUnsafe(json.length + count * ESCAPE.length)
  let at = 0
  for (let i = 0; i < json.length; i++) {
    const byte = json[i] as number
    if (isMarkup(byte)) {
      for (let j = 0; j < ESCAPE.length; j++) result[at++] = ESCAPE[j] as number
      result[at++] = byte === 0x3c ? LAST_OF_LESS : LAST_OF_GREATER
    } else result[at++] = byte
  }
  return result
}

/**
 * Whether anything may be hidden: true of few texts, and found out in one quick pass over the bytes of UTF-8. Decoding
 * them first would take longer than all the rest of a response, as soon as one character is outside Latin-1.
 */
const SUSPECT =
  /\x7F|\xC2[\x80-\x9F\xAD]|\xCD\x8F|\xD8\x9C|\xE1(?:\x85[\x9F\xA0]|\x9E[\xB4\xB5]|\xA0[\x8B-\x8F])|\xE2(?:\x80[\x8B-\x8F\xA8-\xAE]|\x81[\xA0-\xAF])|\xE3\x85\xA4|\xEF(?:\xB8[\x80-\x8F]|\xBB\xBF|\xBE\xA0|\xBF[\xB0-\xBB])|\xF0(?:\x9B\xB2|\x9D\x85)|\xF3\xA0/

/** The flags of England, Scotland and Wales, which are spelt with tag characters. */
const FLAG = String.raw`\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}`

/** One of those; or a run of what no one sees: controls, separators, annotations, and what Unicode calls default-ignorable. */
const NOTABLE = new RegExp(
  String.raw`${FLAG}|[\x7F-\x9F\u2028\u2029\uFFF9-\uFFFB\p{Default_Ignorable_Code_Point}]+`,
  'gv',
)

/** A character that is in place, also one that joins two emoji, as in a family. As a group of NOTABLE it would take twice as long. */
const IN_ITS_PLACE = new RegExp(
  String.raw`${IN_PLACE}|\u200D(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\uFE0F?.)(?=\p{Extended_Pictographic})`,
  'vy',
)

/** What is found keeps its beginning, as far as that is in place. */
function escapeHidden(found: string, at: number, text: string): string {
  if (found.startsWith('\u{1F3F4}')) return found
  let inPlace = 0
  IN_ITS_PLACE.lastIndex = at
  while (inPlace < found.length && IN_ITS_PLACE.test(text)) inPlace = IN_ITS_PLACE.lastIndex - at
  return found.slice(0, inPlace) + shown(found.slice(inPlace))
}

/** Visible: a tag character by its name, any other as JSON writes a character that it escapes. */
function shown(hidden: string): string {
  const characters: string[] = []
  for (const character of hidden) characters.push(shownCharacter(character))
  // A run may be as long as a text: adding to a string each time would take three times as long.
  return characters.join('')
}

/** There are some thousands that can be hidden, and a hostile text has as many as it has characters. */
const written = new Map<string, string>()

function shownCharacter(character: string): string {
  let text = written.get(character)
  if (text === undefined) {
    text = isTag(character) ? `[${codePoint(character)}]` : escaped(character)
    written.set(character, text)
  }
  return text
}

const isTag = (character: string) => character >= '\u{E0000}' && character <= '\u{E007F}'

/** One outside the basic plane is two escapes. */
const escaped = (character: string): string =>
  character.length === 1 ? escapedUnit(character, 0) : escapedUnit(character, 0) + escapedUnit(character, 1)

const escapedUnit = (text: string, at: number) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`
