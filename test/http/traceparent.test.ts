import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTraceparent } from '../../src/http/logging.ts'

const IDS = '4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7'

test('a traceparent of version 00 is taken as it is, and of a later version the part that all versions have', () => {
  assert.equal(parseTraceparent(`00-${IDS}-01`), `00-${IDS}-01`)
  assert.equal(parseTraceparent(`01-${IDS}-00`), `01-${IDS}-00`)
  assert.equal(parseTraceparent(`cc-${IDS}-ff-what-comes-then`), `cc-${IDS}-ff`)
})

test('anything else is none', () => {
  const zeros = '0'.repeat(32)
  for (const text of [
    undefined,
    '',
    '00',
    `00-${IDS}`,
    `00-${IDS}-0`,
    `00-${IDS}-01-`,
    `00-${IDS}-01-more`,
    `00-${IDS}-011`,
    `cc-${IDS}-01.more`,
    `ff-${IDS}-01`,
    `0-${IDS}-01`,
    ` 00-${IDS}-01`,
    `00-${IDS}-01\n`,
    `00-${IDS}-01, 00-${IDS}-01`,
    `00-${IDS.toUpperCase()}-01`,
    `00-${zeros}-00f067aa0ba902b7-01`,
    `00-4bf92f3577b34da6a3ce929d0e0e4736-${zeros.slice(16)}-01`,
    `00-${IDS.replace('-', '')}0-01`,
  ])
    assert.equal(parseTraceparent(text), undefined, text)
})
