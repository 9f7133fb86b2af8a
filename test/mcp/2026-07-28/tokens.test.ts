import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tokenCounts } from '../../../scripts/token-counts.ts'

const counts = new Map((await tokenCounts()).map(({ what, tokens, bytes }) => [what, { tokens, bytes }]))
const of = (what: string) => {
  const counted = counts.get(what)
  assert.ok(counted, `${what} is not among ${[...counts.keys()].join('; ')}`)
  return counted
}

test('the list of tools, which every conversation pays for, has fewer than 700 tokens', () =>
  assert.ok(of('`tools/list`').tokens < 700, `${of('`tools/list`').tokens}`))

test('the instructions have fewer than 150 tokens', () =>
  assert.ok(of('`server/discover`, its instructions').tokens < 150))

test('when each task is due takes at most 40 % of the tokens, and who does it little more', () => {
  const whole = of('`list_tasks`, a full page').tokens
  const share = (fields: string) => of(`\`list_tasks\`, 100 tasks, \`fields: ${fields}\``).tokens / whole
  assert.ok(share('["dueAt"]') <= 0.4, `${share('["dueAt"]')}`)
  assert.ok(share('["dueAt","assigneeName"]') <= 0.45, `${share('["dueAt","assigneeName"]')}`)
})

test('an unchanged list is told in fewer than 60 tokens', () => assert.ok(of('`list_tasks`, unchanged').tokens < 60))
