/** Unicode's East Asian Width W and F (UAX #11), without the emoji, which \p{Emoji_Presentation} has. */
const WIDE =
  /[\u1100-\u115F\u2329\u232A\u2630-\u2637\u268A-\u268F\u2E80-\u303E\u3041-\u3247\u3250-\u33FF\u3400-\u4DBF\u4DC0-\u9FFF\uA000-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE10-\uFE19\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{16FE0}-\u{16FFF}\u{17000}-\u{18DFF}\u{1AFF0}-\u{1B2FF}\u{1D300}-\u{1D376}\u{1F200}-\u{1F265}\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}/u
/** Marks that go above or below the letter before them, what cannot be seen, and vowels and finals of a Korean syllable. */
const ZERO = /[[\p{Mn}\p{Me}\p{Cf}\u1160-\u11FF\uD7B0-\uD7FF]--[\u00AD]]/v
const VARIATION_AS_EMOJI = '\uFE0F'
const ASCII = /^[\x20-\x7e]*$/

let segmenter: Intl.Segmenter | undefined

/** What a reader sees as one character. Created when needed: most texts are ASCII, and it takes a while to load. */
function graphemes(text: string): string[] {
  segmenter ??= new Intl.Segmenter()
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}

/** How many columns of a terminal a text takes. */
export const displayWidth = (text: string): number =>
  ASCII.test(text) ? text.length : graphemes(text).reduce((sum, grapheme) => sum + widthOf(grapheme), 0)

function widthOf(grapheme: string): number {
  // A flag, a family or a keycap is one emoji of several code points.
  if (grapheme.includes(VARIATION_AS_EMOJI) || /\p{Emoji_Presentation}/u.test(grapheme)) return 2
  let width = 0
  for (const character of grapheme) if (!ZERO.test(character)) width += WIDE.test(character) ? 2 : 1
  return width
}

/** The text, or as much of its beginning as fits with an ellipsis. */
export function cutToWidth(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  let [shown, left] = ['', width - 1]
  for (const grapheme of graphemes(text)) {
    left -= widthOf(grapheme)
    if (left < 0) break
    shown += grapheme
  }
  return `${shown.trimEnd()}…`
}
