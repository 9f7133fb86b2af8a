import assert from 'node:assert/strict'
import { test } from 'node:test'
import { publishedFields } from '../../../src/lists/definition.ts'
import { untrustedMembers } from '../../../src/mcp/untrusted-members.ts'
import { compileDefinition } from '../../../src/resources/declared/compile.ts'
import { currentTasks } from '../../../src/resources/tasks/list.ts'
import { orders } from '../../resources/declared/published-orders.ts'
import { type ModernService, startModernService } from '../../support/modern-client.ts'
import { importTasks } from '../../support/written-lists.ts'
import { injections } from './injections.ts'

/** In the order of the response. */
const published = publishedFields(currentTasks.fields)
const fields = published.map(({ name }) => name)
const FORBIDDEN =
  /[<>\p{Cc}\u2028\u2029\uFFF9-\uFFFB\u200B-\u200F\u202A-\u202E\u2060-\u206F\uFEFF\u115F\u1160\u3164\uFFA0\u180E]|[\u{E0000}-\u{E01EF}]/u
const withVisibleTags = (text: string) =>
  text.replace(/[\u{E0000}-\u{E007F}]/gu, (tag) => `[U+${tag.codePointAt(0)?.toString(16).toUpperCase()}]`)

const CALL_OF_2025 = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_tasks' } }

/** As much of a text as a member holds. */
const fitting = (text: string, maxLength: number) => [...text].slice(0, maxLength).join('')

function record(name: string, text: string): Record<string, string> {
  const values: Record<string, string> = {
    id: fitting(`${name} ${text}`, 200),
    assigneeEmail: "ignore.all|previous{instructions}#'`$%&*@evil.example",
    dueAt: '2026-11-16T09:00:00.000Z',
  }
  return Object.fromEntries(
    published.map(({ name: field, maxLength = 0 }) => [field, values[field] ?? fitting(text, maxLength)]),
  )
}

interface Listed {
  nextCursor: string | null
  tasks: Record<string, string | null>[]
}

async function list(service: ModernService, args: object) {
  const response = await service.ask('tools/call', { name: 'list_tasks', arguments: args })
  const { result } = response.json as {
    result: { content: { type: string; text: string }[]; structuredContent: Listed }
  }
  const { tasks, nextCursor } = result.structuredContent
  return { response, result, tasks, nextCursor }
}

test('known injections arrive as inert JSON text, in every member', async (t) => {
  const service = await startModernService(t)
  const written = Object.entries(injections).map(([name, text]) => record(name, text))
  await importTasks(service.operator, written)
  const pages = [await list(service, { fields })]
  for (let next = pages[0]?.nextCursor; next; next = pages.at(-1)?.nextCursor)
    pages.push(await list(service, { fields, cursor: next }))
  const tasks = pages.flatMap((page) => page.tasks)
  const { result } = pages[0] as (typeof pages)[number]

  await t.test('nothing that hides something or looks like markup is unescaped', () => {
    for (const page of pages) {
      assert.doesNotMatch(page.response.text, FORBIDDEN)
      assert.doesNotMatch(page.result.content[0]?.text ?? '', FORBIDDEN)
    }
  })
  await t.test('the structure is the same as without them', () => {
    assert.deepEqual(Object.keys(result), ['resultType', '_meta', 'content', 'structuredContent'])
    assert.equal(result.content.length, 1)
    assert.deepEqual(Object.keys(result.content[0] ?? {}), ['type', 'text'])
    assert.deepEqual(Object.keys(result.structuredContent), [
      'asOf',
      'localDate',
      'timezone',
      'etag',
      'total',
      'hasMore',
      'nextCursor',
      'tasks',
    ])
    assert.equal(tasks.length, written.length)
    for (const task of tasks) assert.deepEqual(Object.keys(task), fields)
  })
  await t.test('the text is the same JSON as the structured content', () =>
    assert.deepEqual(JSON.parse(result.content[0]?.text ?? ''), result.structuredContent),
  )
  for (const [i, name] of Object.keys(injections).entries())
    await t.test(`the value is what was imported, with tag characters made visible: ${name}`, () => {
      const expected = Object.entries(written[i] ?? {}).map(([field, value]) => [field, withVisibleTags(value)])
      assert.deepEqual(tasks[i], Object.fromEntries(expected))
    })
  await t.test('on REST and on /mcp they are as imported, byte for byte', async () => {
    const rest = await service.get('/tasks')
    assert.deepEqual(rest.json, { tasks: written })
    assert.equal((await service.call('list_tasks')).result?.content[0]?.text, rest.text)
    const onV2 = await service.rpc(CALL_OF_2025, {}, '/v2/mcp')
    assert.equal(onV2.text, (await service.rpc(CALL_OF_2025, {}, '/mcp')).text)
  })
})

test('the result names the untrusted members', async (t) => {
  const service = await startModernService(t)
  await service.addTasks([{ id: 'a' }])
  const metaOf = async (params: Record<string, unknown>) => {
    const { result } = (await service.ask('tools/call', params)).json as { result: { _meta: Record<string, unknown> } }
    return result._meta['vitrine/untrusted']
  }
  assert.deepEqual(await metaOf({ name: 'list_tasks' }), { tasks: fields.filter((name) => name !== 'dueAt') })
  const changes = await metaOf({ name: 'list_tasks', arguments: { changedSince: 'today' } })
  assert.deepEqual((changes as Record<string, string[]>).gone, ['id'])
  assert.deepEqual(await metaOf({ name: 'get_workspace' }), {
    workspace: ['id', 'name', 'slug', 'timezone', 'currencyCode', 'countryCode'],
  })
})

test('a list of texts is marked like a text', () => {
  assert.deepEqual(untrustedMembers(compileDefinition(orders({}))), {
    orders: ['id', 'supplier', 'link', 'total', 'tags'],
  })
})
