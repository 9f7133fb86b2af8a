import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createArgumentParser } from '../../src/mcp/arguments.ts'
import { resources } from '../../src/resources/index.ts'

test('every call that docs/mcp.md names for a question is valid', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../docs/mcp.md'), 'utf8')
  const [, table = ''] = /\| question \| calls of `list_tasks` \|\n((?:\|.*\n)+)/.exec(guide) ?? []
  const calls = [...table.matchAll(/`(\{[^`]*\})`/g)].map(([, json = '']) => JSON.parse(json))
  const tasks = resources.find(({ name }) => name === 'tasks')
  assert.ok(tasks !== undefined && calls.length > 20)
  const { parse } = createArgumentParser(tasks)
  for (const { cursor: _, ifNoneMatch: __, changedSince: ___, ...args } of calls) parse(args)
})
