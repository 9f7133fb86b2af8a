import { codePoint } from './plain-text.ts'

/**
 * JSON in which nothing hides and nothing looks like markup, for readers that may take what they read for instructions. The
 * value stays the same, except that tag characters, which nothing draws and models read, become visible text.
 */
export function inertJson(json: Buffer): Buffer {
  if (!SUSPECT.test(json.toString('latin1'))) return json
  const unmarked = json.toString().replaceAll('<', '\\u003c').replaceAll('>', '\\u003e')
  return Buffer.from(unmarked.replace(HIDDEN, (found, belongs) => (belongs === undefined ? shown(found) : found)))
}

/**
 * Whether there may be anything to do: true of few texts, and told in one quick pass over the bytes of UTF-8. Decoding
 * them first would take longer than all the rest of an answer, as soon as one character is outside Latin-1.
 */
const SUSPECT =
  /[<>\x7F]|\xC2[\x80-\x9F\xAD]|\xCD\x8F|\xD8\x9C|\xE1(?:\x85[\x9F\xA0]|\x9E[\xB4\xB5]|\xA0[\x8B-\x8F])|\xE2(?:\x80[\x8B-\x8F\xA8-\xAE]|\x81[\xA0-\xAF])|\xE3\x85\xA4|\xEF(?:\xB8[\x80-\x8F]|\xBB\xBF|\xBE\xA0|\xBF[\xB0-\xBB])|\xF0(?:\x9B\xB2|\x9D\x85)|\xF3\xA0/

/** Characters that nobody sees, where they belong. For a regular expression with the flag v. */
const inPlace = [
  // The flags of England, Scotland and Wales, which are spelt with tag characters.
  String.raw`\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}`,
  // A joiner behind a letter of a script that is written with joiners, as Persian and Hindi are.
  String.raw`[\u200C\u200D](?<=[[\p{L}\p{M}]--[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]].)`,
  // One within an emoji, such as a family.
  String.raw`\u200D(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\uFE0F?.)(?=\p{Extended_Pictographic})`,
  // A single selector behind what it selects a variant of; several in a row can carry a message.
  String.raw`[\uFE00-\uFE0F](?<=[[\p{L}\p{M}\p{N}\p{S}]--\p{Variation_Selector}].)(?!\p{Variation_Selector})`,
  String.raw`[\u{E0100}-\u{E01EF}](?<=\p{Unified_Ideograph}.)(?!\p{Variation_Selector})`,
]

/** Those, as the group; or a run of others: controls, separators, annotations, and what Unicode calls default-ignorable. */
const HIDDEN = new RegExp(
  String.raw`(${inPlace.join('|')})|[\x7F-\x9F\u2028\u2029\uFFF9-\uFFFB\p{Default_Ignorable_Code_Point}]+`,
  'gv',
)

/** Visible: a tag character by its name, any other as JSON writes a character that it escapes. */
function shown(hidden: string): string {
  let text = ''
  for (const character of hidden) text += isTag(character) ? `[${codePoint(character)}]` : escaped(character)
  return text
}

const isTag = (character: string) => character >= '\u{E0000}' && character <= '\u{E007F}'

/** One outside the basic plane is two escapes. */
const escaped = (character: string): string =>
  character.length === 1 ? escapedUnit(character, 0) : escapedUnit(character, 0) + escapedUnit(character, 1)

const escapedUnit = (text: string, at: number) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`
