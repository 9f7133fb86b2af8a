import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createToken } from '../../src/lib/key-format.ts'
import { nameError, showHidden, toName } from '../../src/lib/plain-text.ts'
import { html } from '../../src/web/html.ts'

const hidden: [name: string, text: string, shown: string][] = [
  ['RIGHT-TO-LEFT OVERRIDE', 'live\u202Eyek', 'live[U+202E]yek'],
  ['LEFT-TO-RIGHT EMBEDDING', '\u202Ax', '[U+202A]x'],
  ['POP DIRECTIONAL FORMATTING', 'x\u202Cy', 'x[U+202C]y'],
  ['RIGHT-TO-LEFT ISOLATE', 'x\u2067y\u2069', 'x[U+2067]y[U+2069]'],
  ['RIGHT-TO-LEFT MARK', 'x\u200Fy', 'x[U+200F]y'],
  ['ARABIC LETTER MARK', 'x\u061Cy', 'x[U+061C]y'],
  ['ZERO WIDTH SPACE', 'x\u200By', 'x[U+200B]y'],
  ['ZERO WIDTH JOINER between Latin letters', 'x\u200Dy', 'x[U+200D]y'],
  ['ZERO WIDTH NON-JOINER after Cyrillic', '\u0436\u200C\u0436', '\u0436[U+200C]\u0436'],
  ['WORD JOINER', 'x\u2060y', 'x[U+2060]y'],
  ['BYTE ORDER MARK', 'x\uFEFFy', 'x[U+FEFF]y'],
  ['SOFT HYPHEN', 'x\u00ADy', 'x[U+00AD]y'],
  ['HANGUL FILLER', 'x\u3164y', 'x[U+3164]y'],
  ['a variation selector after a letter', 'x\uFE0Fy', 'x[U+FE0F]y'],
  ['one of ideographs after a letter', 'x\u{E0141}y', 'x[U+E0141]y'],
  ['TAG LATIN SMALL LETTER A', 'x\u{E0061}y', 'x[U+E0061]y'],
]
for (const [name, text, shown] of hidden)
  test(`a name cannot contain ${name}, and an old one shows it`, () => {
    assert.match(nameError(text, 100) ?? '', /^must not contain U\+[0-9A-F]{4,5}: invisible characters/)
    assert.equal(showHidden(text), shown)
    assert.equal(html`<title>${text}</title>`.text, `<title>${shown}</title>`)
  })

test('a name may be in any script, and contain emoji', () => {
  for (const text of [
    'Nightly report',
    'Größe №5 — “x”',
    'תקציב לילי',
    'تقرير يومي',
    'می‌خواهم', // Persian is written with U+200C.
    'क्‍ष', // and Hindi with U+200D.
    '東京',
    '葛\u{E0100}飾', // The form of the first character that the city uses.
    '1️⃣',
    '👩‍💻 laptop',
    '👨‍👩‍👧‍👦',
    '🏴󠁧󠁢󠁥󠁮󠁧󠁿 England',
    '❤️',
    '☎︎ text style',
    'e\u0301',
  ]) {
    assert.equal(nameError(text, 100), undefined, text)
    assert.equal(showHidden(text), text)
  }
})

test('a name is not empty, not too long, on one line, and not a key', () => {
  for (const text of ['', 'x'.repeat(101), 'a\nb', 'a\u2028b', 'a\u0085b', 'a\0b', 'a\uD800'])
    assert.equal(nameError(text, 100), 'must be 1 to 100 characters, on one line', JSON.stringify(text))
  assert.equal(nameError('🧾'.repeat(100), 100), undefined, 'as people and the databases count')
  assert.equal(nameError('🧾'.repeat(101), 100), 'must be 1 to 100 characters, on one line')
  assert.match(nameError(`for ${createToken()}`, 100) ?? '', /^must not contain a key/)
})

test('a name is cleaned of characters that names cannot contain', () => {
  const cases: [text: string, name: string][] = [
    ['  Claude\r\n Code\t', 'Claude Code'],
    ['Chat\u202EGPT\u200B', 'ChatGPT'],
    ['a \u200B b', 'a b'],
    ['x\u2028y\u0085z', 'x y z'],
    ['\uD83D lone \uDE00', 'lone'],
    ['👩🏽‍💻 می‌خواهم', '👩🏽‍💻 می‌خواهم'],
    ['\u200B\u202E', ''],
    [`Copy of ${createToken()}`, ''],
    ['x'.repeat(200), 'x'.repeat(100)],
    [`${'x'.repeat(99)}😀`, 'x'.repeat(99)],
    [`${'x'.repeat(95)}👩🏽‍💻`, `${'x'.repeat(95)}👩🏽`],
  ]
  for (const [text, name] of cases) assert.equal(toName(text, 100), name)
})
