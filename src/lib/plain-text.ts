import { holdsKey } from './redact.ts'

/** Whether every database can store a text and every answer can carry it: no NUL, no half of a surrogate pair. */
export const isPlainText = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** For messages: the beginning of a text that is longer. */
export const clip = (text: string, maxLength: number): string =>
  text.length > maxLength ? `${text.slice(0, maxLength)}…` : text

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

/**
 * An emoji (some contain invisible characters), a joiner after a letter of a script that uses joiners, or an invisible
 * character. Letters of right-to-left scripts are none of these. A function: the runtime takes 30 ms to read the pattern.
 */
const notable = () =>
  /\p{RGI_Emoji}|(?<=[[\p{L}\p{M}]--[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]])[\u200C\u200D]|([\p{Default_Ignorable_Code_Point}--[\uFE00-\uFE0F]])/gv

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
