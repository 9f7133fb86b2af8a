import { holdsKey } from './redact.ts'

/** True if every database can store the text and every response can carry it: no NUL, no lone surrogate. */
export const isPlainText = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** Looks only at the beginning: a character has up to two units, and the text may be a whole file. */
const hasMore = (text: string, characters: number): boolean =>
  text.length > characters && [...text.slice(0, 2 * characters + 1)].length > characters

export const clip = (text: string, maxCharacters: number): string =>
  hasMore(text, maxCharacters) ? `${[...text.slice(0, 2 * maxCharacters)].slice(0, maxCharacters).join('')}…` : text

/** The ellipsis counts as a character. */
export const truncate = (text: string, maxCharacters = Number.POSITIVE_INFINITY): string =>
  hasMore(text, maxCharacters) ? clip(text, maxCharacters - 1) : text

export const NOT_PLAIN = 'must not contain a NUL character or a lone surrogate'

/** Also rejects a key that was pasted into the wrong field. */
export function nameError(text: string, maxLength: number): string | undefined {
  const length = [...text].length
  if (length === 0 || length > maxLength || !isPlainText(text) || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(text))
    return `must be 1 to ${maxLength} characters, on one line`
  const hidden = hiddenIn(text)
  if (hidden !== undefined)
    return `must not contain ${codePoint(hidden)}: invisible characters, and those that change the direction of text, are not allowed`
  if (holdsKey(text)) return 'must not contain a key or anything like one: anyone who reads the name would have the key'
  return undefined
}

/** Legitimate invisible characters. Several variation selectors in a row can carry a message. */
export const IN_PLACE = [
  // A joiner after a letter of a script that uses joiners, such as Arabic and Devanagari.
  String.raw`[\u200C\u200D](?<=[[\p{L}\p{M}]--[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]].)`,
  // A text or emoji selector after a character that has both styles, or within a keycap. After digits they are unused.
  String.raw`[\uFE0E\uFE0F](?<=[\p{Emoji}--[0-9#*]].)(?!\p{Variation_Selector})`,
  String.raw`\uFE0F(?<=[0-9#*].)(?=\u20E3)`,
  // A variant of an ideograph: only the first 32 of its 240 own selectors are in use, and the first 3 general ones.
  String.raw`[\uFE00-\uFE02\u{E0100}-\u{E011F}](?<=\p{Unified_Ideograph}.)(?!\p{Variation_Selector})`,
  // A variant of a mathematical symbol, or of a letter in one of the two scripts that commonly use variants.
  String.raw`\uFE00(?<=[[\p{Sm}--[<=>\x7C~+]]\p{Script=Myanmar}\p{Script=Phags_Pa}].)(?!\p{Variation_Selector})`,
].join('|')

/** An emoji, or an invisible character in or out of place. A function, because compiling the pattern takes 30 ms. */
const notable = () => new RegExp(String.raw`\p{RGI_Emoji}|${IN_PLACE}|(\p{Default_Ignorable_Code_Point})`, 'gv')

function hiddenIn(text: string): string | undefined {
  if (!BEYOND_ASCII.test(text)) return undefined
  for (const [, hidden] of text.matchAll(notable())) if (hidden !== undefined) return hidden
  return undefined
}

/** A text as a name that `nameError` accepts. Empty if nothing is left. */
export function toName(text: string, maxLength: number): string {
  const line = onOneLine(onOneLine(text).slice(0, maxLength))
  const name = hiddenIn(line) === undefined ? line : onOneLine(line.replace(/\p{Default_Ignorable_Code_Point}/gu, ''))
  return holdsKey(name) ? '' : name
}

const onOneLine = (text: string) => text.replace(/[\p{Cc}\p{Cs}\p{Z}]+/gu, ' ').trim()

/** For names stored before invisible characters were rejected. */
export const showHidden = (text: string): string =>
  BEYOND_ASCII.test(text)
    ? text.replace(notable(), (found, hidden) => (hidden === undefined ? found : `[${codePoint(hidden)}]`))
    : text

const BEYOND_ASCII = /[^\0-\x7f]/

export const codePoint = (character: string) =>
  `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`

/** For an error's message, which begins in lower case and has no full stop. */
export const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
