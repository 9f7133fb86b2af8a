import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CursorScope, decodeCursor, encodeCursor } from '../../src/mcp/cursor.ts'
import type { InvalidArgumentsError } from '../../src/mcp/invalid-arguments.ts'

const scope: CursorScope = ['ws_1', 'list_tasks', { bookKey: 'shoes' }]
/** What is wrong with a cursor. */
function faultOf(of: CursorScope, cursor: string): string {
  try {
    return `none: ${JSON.stringify(decodeCursor(of, cursor))}`
  } catch (error) {
    return (error as InvalidArgumentsError).faults.map(({ argument, fix }) => `${argument} ${fix}`).join()
  }
}

const CHANGED = /^cursor is not a nextCursor of this list/
const position = {
  first: { revision: 1_795_204_800_000_000, ms: 1_795_204_800_123 },
  after: ['2026-11-16T09:00:00.000Z', 41],
} as const

test('a cursor with a changed, missing or added character is invalid', () => {
  const cursor = encodeCursor(scope, position)
  for (let at = 0; at < cursor.length; at++) {
    const other = cursor[at] === 'A' ? 'B' : 'A'
    assert.match(faultOf(scope, cursor.slice(0, at) + other + cursor.slice(at + 1)), CHANGED)
    assert.match(faultOf(scope, cursor.slice(0, at) + cursor.slice(at + 1)), CHANGED)
    assert.match(faultOf(scope, `${cursor.slice(0, at)}${other}${cursor.slice(at)}`), CHANGED)
  }
  for (const text of [
    '',
    'x',
    `${cursor} `,
    `${cursor}=`,
    `${cursor}\n`,
    cursor.toLowerCase(),
    '💥',
    'A'.repeat(100_000),
  ])
    assert.match(faultOf(scope, text), CHANGED, text.slice(0, 80))
})
