import assert from 'node:assert/strict'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { cutToWidth, displayWidth } from '../../src/cli/display-width.ts'

for (const [text, width] of [
  ['plain', 5],
  ['Übergröße', 9],
  ['e\u0301', 1],
  ['日本語', 6],
  ['ｆｕｌｌ', 8],
  ['한글', 4],
  ['\u1112\u1161\u11ab', 2],
  ['🙂', 2],
  ['👩‍👩‍👧‍👦', 2],
  ['👍🏽', 2],
  ['🇬🇧', 2],
  ['1️⃣', 2],
  ['☂', 1],
  ['☂️', 2],
  ['שלום', 4],
] as const)
  test(`${JSON.stringify(text)} takes ${width} columns of a terminal`, () => assert.equal(displayWidth(text), width))

/** Where the runtime's own measure, which knows no terminal's habits, differs. */
const BESIDES = [
  // Vowels and finals join the consonant before them.
  /[\u1160-\u11FF\uD7B0-\uD7FF]/u,
  // Marks of Asian scripts are marks all the same.
  /\p{Mn}/u,
  // Notes that are written as several characters, each with a width.
  /[\u{1D15E}-\u{1D164}\u{1D1BB}-\u{1D1C0}]/u,
]

test('the width of a character is that of its East Asian Width in the Unicode data of the runtime', () => {
  const [input, output] = [new PassThrough(), Object.assign(new PassThrough(), { columns: 1000 })]
  const line = createInterface({ input, output, terminal: true, prompt: '' })
  const measured = (text: string) => {
    Object.assign(line, { line: text, cursor: text.length })
    return line.getCursorPos().cols
  }
  const differing: string[] = []
  // Every third: all of them take a second. No range is that short.
  for (let codePoint = 0x20; codePoint < 0x40000; codePoint += 3) {
    const character = String.fromCodePoint(codePoint)
    if (/[\p{Cn}\p{Co}\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(character) || BESIDES.some((each) => each.test(character)))
      continue
    if (displayWidth(character) !== measured(character)) differing.push(codePoint.toString(16))
  }
  line.close()
  assert.deepEqual(differing, [])
})

test('a text is cut between characters, with an ellipsis, and never wider than it may be', () => {
  assert.equal(cutToWidth('short', 5), 'short')
  assert.equal(cutToWidth('longer text', 8), 'longer…')
  assert.equal(cutToWidth('日本語のテキスト', 8), '日本語…')
  assert.equal(cutToWidth('👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 3), '👩‍👩‍👧‍👦…')
  assert.equal(cutToWidth('e\u0301e\u0301e\u0301', 2), 'e\u0301…')
})
