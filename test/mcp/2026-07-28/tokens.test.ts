import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { tokenCounts } from '../../../scripts/token-counts.ts'
import { toolDefinition as tool20250326 } from '../../../src/mcp/2025-03-26/tools.ts'
import { toolDefinition as tool20260728 } from '../../../src/mcp/2026-07-28/tools.ts'
import { resources } from '../../../src/resources/index.ts'

const counts = new Map((await tokenCounts()).map(({ what, tokens, bytes }) => [what, { tokens, bytes }]))
const of = (what: string) => {
  const counted = counts.get(what)
  assert.ok(counted, `${what} is not among ${[...counts.keys()].join('; ')}`)
  return counted
}

test('the tools, which every conversation pays for, take at most 1,200 tokens in each version, whichever way they are counted', () => {
  for (const definition of [tool20250326, tool20260728]) {
    const json = JSON.stringify(resources.map((resource) => definition(resource)))
    assert.ok(json.length / 3.6 <= 1200, `${json.length} bytes`)
    assert.ok(countTokens(json) <= 1200)
  }
})

test('the instructions take fewer than 170 tokens', () =>
  assert.ok(of('`server/discover`, its instructions').tokens < 170))

test('counts take fewer than 300 tokens, and ten tasks fewer than 1,600', () => {
  assert.ok(of('`list_tasks`, `countBy: "assignee"`').tokens < 300)
  assert.ok(of('`list_tasks`, 10 tasks').tokens < 1600)
})

test('only the due dates take at most 40 % of the tokens, and the assignees little more', () => {
  const whole = of('`list_tasks`, a full page').tokens
  const share = (fields: string) => of(`\`list_tasks\`, 100 tasks, \`fields: ${fields}\``).tokens / whole
  assert.ok(share('["dueAt"]') <= 0.4, `${share('["dueAt"]')}`)
  assert.ok(share('["dueAt","assigneeName"]') <= 0.45, `${share('["dueAt","assigneeName"]')}`)
})

test('an unchanged list takes fewer than 60 tokens', () => assert.ok(of('`list_tasks`, unchanged').tokens < 60))
