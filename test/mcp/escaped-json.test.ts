import assert from 'node:assert/strict'
import { test } from 'node:test'
import { escapedJson } from '../../src/mcp/escaped-json.ts'

/** Must not occur in the bytes, except in a legitimate place. */
const HIDDEN = /[<>\x7F-\x9F\u2028\u2029\uFFF9-\uFFFB\p{Default_Ignorable_Code_Point}]/gu
const ofText = (text: string) => escapedJson(JSON.stringify(text))

function expected(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code >= 0xe0000 && code <= 0xe007f) return `[U+${code.toString(16).toUpperCase()}]`
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}

test('of all characters, exactly the hidden ones and those of markup are escaped', () => {
  for (let block = 0; block <= 0x10ff; block++) {
    const codes = Array.from({ length: 256 }, (_, i) => block * 256 + i)
    const characters = codes.filter((code) => code < 0xd800 || code > 0xdfff).map((code) => String.fromCodePoint(code))
    const text = characters.join(' . ')
    assert.equal(ofText(text), JSON.stringify(text).replace(HIDDEN, expected), `block ${block}`)
    for (const character of text.match(HIDDEN) ?? [])
      assert.equal(ofText(` ${character} `), `" ${expected(character)} "`, 'alone too')
  }
})

test('markup is escaped, with the same value', () => {
  assert.equal(ofText('</tool_result><b>'), String.raw`"\u003c/tool_result\u003e\u003cb\u003e"`)
  assert.equal(ofText('a & b'), '"a & b"')
})

const hidden: [name: string, text: string, json: string][] = [
  ['a right-to-left override', 'live\u202Eyek', String.raw`"live\u202eyek"`],
  ['isolates', 'x\u2067y\u2069', String.raw`"x\u2067y\u2069"`],
  [
    'zero-width characters between Latin letters',
    'a\u200Bb\u200Cc\u200Dd\u2060e\uFEFF',
    String.raw`"a\u200bb\u200cc\u200dd\u2060e\ufeff"`,
  ],
  ['a line separator', 'a\u2028b\u2029c', String.raw`"a\u2028b\u2029c"`],
  ['DEL and the eight-bit escape of terminals', 'a\x7Fb\u009B31m', String.raw`"a\u007fb\u009b31m"`],
  ['several variation selectors', '😀\uFE0F\u{E0148}\u{E0149}', String.raw`"😀\ufe0f\udb40\udd48\udb40\udd49"`],
  ['a variation selector behind nothing', '\uFE0Fx', String.raw`"\ufe0fx"`],
  ['a variation selector behind each letter', 'k\uFE00e\uFE0Fy\uFE05', String.raw`"k\ufe00e\ufe0fy\ufe05"`],
  ['one behind an accent', 'e\u0301\uFE01', `"e\u0301${String.raw`\ufe01`}"`],
  ['one behind a letter of another script', 'ж\uFE00ש\uFE0Fア\uFE00', String.raw`"ж\ufe00ש\ufe0fア\ufe00"`],
  ['the style of a digit outside a keycap', '1\uFE0F2\uFE0E#\uFE0F', String.raw`"1\ufe0f2\ufe0e#\ufe0f"`],
  ['a selector of ideographs behind a letter', 'a\u{E0100}', String.raw`"a\udb40\udd00"`],
  ['one behind an ideograph that no font has', '葛\u{E0141}', String.raw`"葛\udb40\udd41"`],
  ['a joiner behind a hidden letter', '\u3164\u200Dx', String.raw`"\u3164\u200dx"`],
  ['a joiner between an emoji and a word', '👍\u200Dx', String.raw`"👍\u200dx"`],
]
for (const [name, text, json] of hidden)
  test(`hidden text is escaped, with the same value: ${name}`, () => {
    assert.equal(ofText(text), json)
    assert.equal(JSON.parse(json), text)
  })

test('tag characters become visible text, even after what only begins like a flag', () => {
  assert.equal(ofText('a\u{E0069}\u{E0067}\u{E0001}z'), '"a[U+E0069][U+E0067][U+E0001]z"')
  assert.equal(ofText('\u{1F3F4}\u{E0067}\u{E0062}\u{E0061}\u{E007F}'), '"🏴[U+E0067][U+E0062][U+E0061][U+E007F]"')
  assert.equal(ofText('🏴󠁧󠁢󠁥󠁮󠁧󠁿\u{E0041}'), '"🏴󠁧󠁢󠁥󠁮󠁧󠁿[U+E0041]"')
})

test("the world's languages and emoji are not changed", () => {
  for (const text of [
    'Größe №5 — “x” & e\u0301',
    'תקציב לילי',
    'تقرير يومي',
    'می\u200Cخواهم',
    'क्\u200Dष',
    '東京 葛\u{E0100} 辻\u{E0101} 邉\u{E011F} 不\uFE00',
    '\u2229\uFE00 \u1000\uFE00',
    '👩‍💻 👩🏽‍💻 👨‍👩‍👧‍👦 🏳️‍🌈 ❤️‍🔥',
    '🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏴󠁧󠁢󠁳󠁣󠁴󠁿 🏴󠁧󠁢󠁷󠁬󠁳󠁿 🇵🇹',
    '1️⃣ #️⃣ ☎︎ ❤️ ©️ 🅰️',
  ])
    assert.equal(ofText(text), JSON.stringify(text))
})
