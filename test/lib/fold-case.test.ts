import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foldedWords, foldForSearch } from '../../src/lib/fold-case.ts'

const found: [text: string, words: string][] = [
  ['Łukasz Ødegård, Đorđe & Straße STRAẞE', 'lukasz odegard dorde strasse strasse'],
  ['İSTANBUL ıstanbul', 'istanbul istanbul'],
  ['ΣΊΣΥΦΟΣ σίσυφος', 'σισυφοσ σισυφοσ'],
  ['Æsir œuvre Þór ĦŦ', 'aesir oeuvre thor ht'],
  ['ﬁｎａｌ ½', 'final 1 2'],
  ['100% a_b (c-d) "e" O’Neil', '100 a b c d e o neil'],
  ['東京・都庁 한국어 हिन्दी がか', '東京 都庁 한국어 हिन्दी がか'],
  [' — 👜 ', ''],
]

test('words are found without regard to case, accents and punctuation', () => {
  for (const [text, words] of found) {
    assert.equal(foldedWords(text), words)
    assert.equal(foldedWords(text.normalize('NFD')), words)
  }
})

test('every character folds like its capital, and what is folded stays as it is', () => {
  for (let code = 0; code <= 0x1ffff; code++) {
    const character = String.fromCodePoint(code)
    // The Greek iota below a letter is an accent, but its capital stands beside the letter.
    if (!character.isWellFormed() || character.normalize('NFKD').includes('\u0345')) continue
    const folded = foldForSearch(character)
    assert.equal(foldForSearch(character.toUpperCase()), folded, `U+${code.toString(16)}`)
    assert.equal(foldForSearch(folded), folded, `U+${code.toString(16)}`)
  }
})
