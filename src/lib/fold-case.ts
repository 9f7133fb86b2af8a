/** For people's searches: also folds accents, and compatible forms such as full-width letters. */
export function foldForSearch(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text.toLowerCase()
  // Several letters have the same capital, such as i and ı.
  const letters = text.normalize('NFKD').replace(ACCENTS, '').toUpperCase().toLowerCase()
  return letters.replace(WITHOUT_PARTS, (letter) => PLAIN[letter] ?? letter).normalize('NFC')
}

const BEYOND_ASCII = /[^\0-\x7f]/
/** Only accents: other scripts distinguish words by their marks. */
const ACCENTS = /[\u0300-\u036f]/g
/** Letters that Unicode does not decompose. */
const PLAIN: Readonly<Record<string, string>> = {
  ...{ æ: 'ae', đ: 'd', ð: 'd', ħ: 'h', ł: 'l', ø: 'o', œ: 'oe', ß: 'ss', ŧ: 't', þ: 'th' },
  ς: 'σ',
}
const WITHOUT_PARTS = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'g')

/** The words of a text, folded, with a space between two of them: everything else separates words. */
export function foldedWords(text: string): string {
  const folded = foldForSearch(text)
  // The second is many times faster.
  const others = BEYOND_ASCII.test(folded) ? /[^\p{L}\p{M}\p{N}]+/gu : /[^a-z0-9]+/g
  return folded.replace(others, ' ').trim()
}
