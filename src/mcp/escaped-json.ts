import { codePoint, IN_PLACE } from '../lib/plain-text.ts'

/** Escapes markup and hidden characters for models. The value stays the same, but tag characters become visible. */
export function escapedJson(json: Buffer): Buffer {
  const bytes = json.toString('latin1')
  const unmarked = MARKUP.test(bytes) ? withoutMarkup(json) : json
  if (!SUSPECT.test(bytes)) return unmarked
  return Buffer.from(unmarked.toString().replace(NOTABLE, escapeHidden))
}

const MARKUP = /[<>]/
const isMarkup = (byte: number) => byte === 0x3c || byte === 0x3e
/** The common start of the escapes of `<` and `>`. */
const ESCAPE = Buffer.from('\\u003')
const [LAST_OF_LESS, LAST_OF_GREATER] = [0x63, 0x65]

/** Works byte by byte, because replacing many matches in a string takes many times as long. */
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

/** Finds candidates in the UTF-8 bytes, because decoding them would take longer than the rest of the response. */
const SUSPECT =
  /\x7F|\xC2[\x80-\x9F\xAD]|\xCD\x8F|\xD8\x9C|\xE1(?:\x85[\x9F\xA0]|\x9E[\xB4\xB5]|\xA0[\x8B-\x8F])|\xE2(?:\x80[\x8B-\x8F\xA8-\xAE]|\x81[\xA0-\xAF])|\xE3\x85\xA4|\xEF(?:\xB8[\x80-\x8F]|\xBB\xBF|\xBE\xA0|\xBF[\xB0-\xBB])|\xF0(?:\x9B\xB2|\x9D\x85)|\xF3\xA0/

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
  return run.slice(0, inPlace) + escapeAll(run.slice(inPlace))
}

/** Shows a tag character by its code point, and any other as a JSON escape. */
const escapeAll = (hidden: string): string => [...hidden].map(escapeCharacter).join('')

/** A hostile text may consist only of hidden characters, of which there are only a few thousand. */
const escapes = new Map<string, string>()

function escapeCharacter(character: string): string {
  let text = escapes.get(character)
  if (text === undefined) {
    text = isTag(character) ? `[${codePoint(character)}]` : escaped(character)
    escapes.set(character, text)
  }
  return text
}

const isTag = (character: string) => character >= '\u{E0000}' && character <= '\u{E007F}'

/** A character outside the basic plane takes two escapes. */
const escaped = (character: string): string =>
  character.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
