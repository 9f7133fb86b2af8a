// Run once: this is SQLite's own index.
/** The trigram index finds every row that contains a word, in any case and encoding. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { candidateQuery, searchIndex } from '../../../src/database/sqlite/lists/search-index.ts'
import { foldCase } from '../../../src/lib/fold-case.ts'

test('no folded character hides a word from the index', () => {
  const db = new DatabaseSync(':memory:')
  const [index] = searchIndex({ name: 'texts', search: { fields: ['text'] } })
  db.exec(index?.sql ?? '')
  const insert = db.prepare('INSERT INTO texts_search (rowid, text) VALUES (?, ?)')
  const find = db.prepare('SELECT 1 FROM texts_search WHERE texts_search MATCH ? AND rowid = ?')
  let looked = 0
  db.exec('BEGIN')
  for (let code = 1; code < 0x110000; code++) {
    if (code >= 0xd800 && code < 0xe000) continue
    const character = String.fromCodePoint(code)
    if (foldCase(character) === character && character.normalize('NFD') === character) continue
    const text = `qx${character}yz${character}${character}${character}`
    for (const stored of [text, text.normalize('NFD')]) {
      insert.run(++looked, stored)
      const letters = [...foldCase(stored)]
      for (const i of letters.keys()) {
        const query = candidateQuery([letters.slice(i, i + 3).join('')])
        if (query !== undefined) assert.ok(find.get(query, looked), `U+${code.toString(16)}: ${query}`)
      }
    }
  }
  db.exec('ROLLBACK')
  assert.ok(looked > 10_000)
})

test('short words and accented letters are not looked up', () => {
  assert.equal(candidateQuery(['ab', 'é', 'été']), undefined)
  assert.equal(candidateQuery(['alvés']), '"alv"')
  assert.equal(candidateQuery(['abi', '"x"']), '("abi" OR "abİ")')
})

test('ideographs are looked up, unless Unicode has them twice', () => {
  assert.equal(candidateQuery(['東京中央']), '"東京中" AND "京中央"')
  assert.equal(candidateQuery(['豈東京']), undefined)
})
