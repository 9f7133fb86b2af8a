import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import test from 'node:test'
import { startModernTools } from '../support/modern-client.ts'

const due = (minute: number) => new Date(Date.parse('2026-11-16T09:00:00Z') + minute * 60_000).toISOString()

async function start(t: TestContext) {
  const service = await startModernTools(t)
  /** Page by page: the ids, and the bytes of each page's tasks. */
  const pages = async (args: object = {}) => {
    const found: { ids: string[]; bytes: number }[] = []
    let cursor: string | null | undefined
    do {
      const response = await service.callTool('list_tasks', { ...args, ...(cursor && { cursor }) })
      const { text } = (response.json as { result: { content: [{ text: string }] } }).result.content[0]
      const page = JSON.parse(text)
      assert.equal(page.hasMore, page.nextCursor !== null)
      const ids = page.tasks.map(({ id }: { id: string }) => id)
      found.push({ ids, bytes: Buffer.byteLength(text.slice(text.indexOf('"tasks":') + '"tasks":'.length, -1)) })
      cursor = page.nextCursor
    } while (cursor !== null)
    return found
  }
  return { ...service, pages }
}

test('details and sourceSummary are cut after 500 characters, and truncated names them', async (t) => {
  const { addTasks, list, get } = await start(t)
  const long = '🧵'.repeat(501)
  await addTasks([
    { id: 'both', title: 'x'.repeat(500), details: long, sourceSummary: `${'y'.repeat(500)}z`, dueAt: due(1) },
    { id: 'one', details: 'short', sourceSummary: 'é'.repeat(10_000), sourceTitle: 't'.repeat(500), dueAt: due(2) },
    { id: 'none', details: '🧵'.repeat(500), sourceSummary: null, dueAt: due(3) },
  ])
  const [both, one, none] = (await list()).tasks
  assert.equal(both?.title, 'x'.repeat(500))
  assert.equal(both?.details, '🧵'.repeat(500))
  assert.equal(both?.sourceSummary, 'y'.repeat(500))
  assert.deepEqual(both?.truncated, ['details', 'sourceSummary'])
  assert.deepEqual([one?.details, one?.sourceTitle], ['short', 't'.repeat(500)])
  assert.equal(one?.sourceSummary, 'é'.repeat(500))
  assert.deepEqual(one?.truncated, ['sourceSummary'])
  assert.equal(none?.details, '🧵'.repeat(500))
  assert.ok(none !== undefined && !('truncated' in none))
  const { tasks } = (await get('/tasks')).json as { tasks: { details: string }[] }
  assert.ok(tasks[0]?.details === long, 'REST is whole')
})

test('a text requested by fields is complete, even if all are requested', async (t) => {
  const { addTasks, list, ask } = await start(t)
  await addTasks([{ id: 'a', title: 'a', details: 'd'.repeat(10_000), sourceSummary: 's'.repeat(10_000) }])
  assert.deepEqual((await list({ fields: ['details'] })).tasks, [{ id: 'a', title: 'a', details: 'd'.repeat(10_000) }])
  assert.deepEqual((await list({ fields: ['dueAt'] })).tasks, [{ id: 'a', title: 'a', dueAt: null }])
  const { tools } = ((await ask('tools/list')).json as { result: { tools: { inputSchema: never }[] } }).result
  const { enum: fields } = JSON.parse(JSON.stringify(tools)).find(({ name }: { name: string }) => name === 'list_tasks')
    .inputSchema.properties.fields.items
  const [all] = (await list({ fields })).tasks
  assert.deepEqual([all?.details, all?.sourceSummary], ['d'.repeat(10_000), 's'.repeat(10_000)])
  assert.ok(all !== undefined && !('truncated' in all))
})

for (const [what, character] of [
  ['letters', 'd'],
  ['tag characters', '\u{E0041}'],
  ['markup', '<'],
  ['ends of objects', '},{"id":"'],
] as const)
  for (const fields of [undefined, ['details', 'sourceSummary']])
    test(`a page ends before the task that would exceed 40,000 bytes: ${what}, ${fields === undefined ? 'cut' : 'whole'}`, async (t) => {
      const { addTasks, pages } = await start(t)
      const text = character.repeat(9000 / character.length)
      // Some pages of them: a page holds about thirty that are cut, and four that are whole.
      const ids = Array.from({ length: fields === undefined ? 110 : 30 }, (_, i) => `task-${i}`)
      // A few small ones between the large ones, and a text that ends like a task.
      const large = (i: number) => ({ details: text, sourceSummary: i % 2 === 0 ? text : null })
      const small = (id: string) => ({ details: '},{', title: `${id} },{` })
      await addTasks(ids.map((id, i) => ({ id, dueAt: due(i), ...(i % 10 < 7 ? large(i) : small(id)) })))
      const found = await pages(fields && { fields })
      const shown = found.flatMap((page) => page.ids)
      assert.deepEqual(shown, ids, 'each is shown once, in order')
      assert.ok(found.length > 2)
      for (const { ids: some, bytes } of found) assert.ok(bytes <= 40_000 || some.length === 1, `${bytes}`)
      const next = (i: number) => found[i + 1]?.bytes ?? 0
      const short = found.filter(({ ids: some, bytes }, i) => some.length < 100 && bytes + next(i) <= 40_000)
      assert.deepEqual(short.slice(0, -1), [], 'and no page ends sooner')
    })

for (const [bytes, sizes] of [
  [40_000, [5]],
  [40_001, [4, 1]],
] as const)
  test(`five tasks of ${bytes} bytes in all take ${sizes.length} pages`, async (t) => {
    const { addTasks, pages } = await start(t)
    const row = (i: number, details: string) => ({ id: `t${i}`, title: 't', details })
    const whole = Array.from({ length: 4 }, (_, i) => row(i, 'd'.repeat(8000)))
    const missing = bytes - JSON.stringify([...whole, row(4, '')]).length
    await addTasks([...whole, row(4, 'd'.repeat(missing))].map((task, i) => ({ ...task, dueAt: due(i) })))
    assert.deepEqual(
      (await pages({ fields: ['details'] })).map(({ ids }) => ids.length),
      sizes,
    )
  })
