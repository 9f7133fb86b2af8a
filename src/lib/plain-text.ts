import { holdsKey } from './redact.ts'

/** Whether every database can store a text and every response can carry it: no NUL, no half of a surrogate pair. */
export const isPlainText = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** For messages: the beginning of a text that is longer. */
export const clip = (text: string, maxLength: number): string =>
  text.length > maxLength ? `${text.slice(0, maxLength)}…` : text

/** Cuts a text to a number of characters, the last of which is then an ellipsis. */
export function truncate(text: string, maxCharacters = Number.POSITIVE_INFINITY): string {
  if (text.length <= maxCharacters) return text
  const characters = [...text]
  return characters.length <= maxCharacters ? text : `${characters.slice(0, maxCharacters - 1).join('')}…`
}

export const NOT_PLAIN = 'must not hold a NUL character or half of a surrogate pair'

/**
 * What is wrong with a name or label, if anything: empty, too long, not on one line, with invisible characters, or with a
 * key that was pasted into the wrong field.
 */
export function nameFault(text: string, maxLength: number): string | undefined {
  if (text === '' || text.length > maxLength || !isPlainText(text) || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(text))
    return `must be 1 to ${maxLength} characters, on one line`
  const hidden = hiddenIn(text)
  if (hidden !== undefined)
    return `must not hold ${codePoint(hidden)}: characters that cannot be seen, or that change the direction of text, are not allowed`
  if (holdsKey(text)) return 'must not hold a key, or what looks like one: anyone who reads the name would have the key'
  return undefined
}

/** Patterns of invisible characters where they belong; several variation selectors in a row can carry a message. */
export const IN_PLACE = [
  // A joiner behind a letter of a script that is written with joiners, as Persian and Hindi are.
  String.raw`[\u200C\u200D](?<=[[\p{L}\p{M}]--[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]].)`,
  // A selector of text or emoji style behind what has both, and within a keycap; of digits both styles are registered, and not used.
  String.raw`[\uFE0E\uFE0F](?<=[\p{Emoji}--[0-9#*]].)(?!\p{Variation_Selector})`,
  String.raw`\uFE0F(?<=[0-9#*].)(?=\u20E3)`,
  // A form of an ideograph: of the 240 selectors for these the first 32 are in use, and of the others the first 3.
  String.raw`[\uFE00-\uFE02\u{E0100}-\u{E011F}](?<=\p{Unified_Ideograph}.)(?!\p{Variation_Selector})`,
  // A form of a mathematical sign, or of a letter of the two scripts that have such forms in everyday use.
  String.raw`\uFE00(?<=[[\p{Sm}--[<=>\x7C~+]]\p{Script=Myanmar}\p{Script=Phags_Pa}].)(?!\p{Variation_Selector})`,
].join('|')

/**
 * An emoji (some contain invisible characters), an invisible character where it belongs, or any other. Letters of
 * right-to-left scripts are none of these. A function: the runtime takes 30 ms to read the pattern.
 */
const notable = () => new RegExp(String.raw`\p{RGI_Emoji}|${IN_PLACE}|(\p{Default_Ignorable_Code_Point})`, 'gv')

function hiddenIn(text: string): string | undefined {
  if (!BEYOND_ASCII.test(text)) return undefined
  for (const [, hidden] of text.matchAll(notable())) if (hidden !== undefined) return hidden
  return undefined
}

/** The text with invisible characters made visible, for names from before these were refused. */
export const showHidden = (text: string): string =>
  BEYOND_ASCII.test(text)
    ? text.replace(notable(), (found, hidden) => (hidden === undefined ? found : `[${codePoint(hidden)}]`))
    : text

const BEYOND_ASCII = /[^\0-\x7f]/

/** In Unicode's notation, such as U+200B. */
export const codePoint = (character: string) =>
  `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`
