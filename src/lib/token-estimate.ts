/**
 * About how many tokens a language model reads in a text. The vocabularies of models differ by more than this is off, so none is shipped:
 * a test holds it to o200k_base, one of the largest. One pass over the text, and nothing is kept.
 */
export function estimateTokens(text: string): number {
  let tokens = 0
  for (let at = 0; at < text.length; ) {
    const kind = kindOf(text.charCodeAt(at))
    const end = endOfRun(text, at, kind)
    tokens += costOf(kind, end - at, text.charCodeAt(at - 1))
    at = end
  }
  return Math.ceil(tokens)
}

type Kind = 'lower' | 'upper' | 'digit' | 'space' | 'mark' | Script
type Script = keyof typeof TOKENS_PER_UNIT

/** Measured, for each UTF-16 unit of texts in these scripts. */
const TOKENS_PER_UNIT = {
  /** Latin letters beyond those of Western Europe; they also split their word. */
  extended: 1.2,
  greek: 0.42,
  cyrillic: 0.3,
  hebrew: 0.42,
  arabic: 0.32,
  indic: 0.4,
  ideograph: 0.73,
  kana: 0.7,
  hangul: 0.75,
  /** Emoji and whatever else is beyond the basic plane, in two units each. */
  surrogate: 1.05,
  /** Symbols, and scripts that are rarer. */
  other: 1,
}

/** The last unit of each range of Unicode, and what it is taken for. Most accented letters are as common as small ones. */
const RANGES: readonly [last: number, kind: Kind][] = [
  [0x00bf, 'other'],
  [0x00ff, 'lower'],
  [0x024f, 'extended'],
  [0x036f, 'other'],
  [0x03ff, 'greek'],
  [0x052f, 'cyrillic'],
  [0x058f, 'other'],
  [0x05ff, 'hebrew'],
  [0x08ff, 'arabic'],
  [0x0eff, 'indic'],
  [0x1dff, 'other'],
  [0x1eff, 'lower'],
  [0x1fff, 'greek'],
  [0x303f, 'other'],
  [0x30ff, 'kana'],
  [0x33ff, 'other'],
  [0x9fff, 'ideograph'],
  [0xabff, 'other'],
  [0xd7ff, 'hangul'],
  [0xdfff, 'surrogate'],
  [0xffff, 'other'],
]

function kindOf(unit: number): Kind {
  if (unit >= 0x61 && unit <= 0x7a) return 'lower'
  if (unit >= 0x41 && unit <= 0x5a) return 'upper'
  if (unit >= 0x30 && unit <= 0x39) return 'digit'
  if (unit <= SPACE) return 'space'
  if (unit < 0x80) return 'mark'
  for (const [last, kind] of RANGES) if (unit <= last) return kind
  return 'other'
}

/** One capital letter belongs to the small ones behind it: `assigneeName` is two words. */
function endOfRun(text: string, start: number, kind: Kind): number {
  let end = start + 1
  while (end < text.length && kindOf(text.charCodeAt(end)) === kind) end++
  if (kind !== 'upper' || end - start > 1) return end
  while (end < text.length && kindOf(text.charCodeAt(end)) === 'lower') end++
  return end
}

const SPACE = 0x20

function costOf(kind: Kind, length: number, before: number): number {
  switch (kind) {
    case 'lower':
    case 'upper':
      return wordCost(length, before)
    // In groups of three.
    case 'digit':
      return Math.ceil(length / 3)
    // A single one goes with the word behind it; the end of a line mostly with what stands before it.
    case 'space':
      return length === 1 ? 0.05 : 0.6 + length / 100
    // Those that often stand together, as in JSON, are one piece.
    case 'mark':
      return Math.ceil(length / 4)
    default:
      return length * TOKENS_PER_UNIT[kind]
  }
}

/** Most words behind a space are one piece; the parts of names and ids are shorter pieces. */
function wordCost(length: number, before: number): number {
  const whole = before === SPACE ? 8 : 5
  return length <= whole ? 1 : 1 + (length - whole) / 5
}
