import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HttpResponse } from '../../../support/exchange.ts'
import { KEYS, signedIn } from '../../../support/person.ts'
import { startService } from '../../../support/service.ts'

const MAX_PAGE_BYTES = 60 * 1024

/** What is shown, with entities as the characters they stand for. */
const shownIn = ({ text }: HttpResponse): string =>
  text.replace(/<[^>]*>/g, '').replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))

test('the page shows the instructions, the tools and their results, and nothing is counted or recorded', async (t) => {
  const service = await startService(t)
  await service.addTasks(Array.from({ length: 12 }, (_, i) => ({ id: `task ${i}`, title: `Title ${i}.` })))
  const browser = await signedIn(service)
  const { id, token } = await service.createKey({ label: 'Agent' })
  const page = await browser.get(`${KEYS}/${id}/agent`)
  assert.equal(page.status, 200)
  const shown = shownIn(page)
  for (const words of [
    'Read-only access to one workspace',
    'list_tasks',
    'get_workspace',
    'dueBefore',
    'Title 0.',
    'Title 9.',
  ])
    assert.ok(shown.includes(words), words)
  assert.match(shown, /… 2 more/)
  assert.doesNotMatch(shown, /Title 10\./)
  const response = await service.get('/tasks', { authorization: `Bearer ${token}` })
  assert.equal(response.headers.get('ratelimit-remaining'), '599')
  await service.stop()
  const uses = await service.operator.read((tx) => tx.all<{ count: number }>('SELECT count FROM key_use'))
  assert.deepEqual(
    uses.map(({ count }) => count),
    [1],
  )
  const actions = (await service.newestEntries(5)).map(({ action }) => action)
  assert.ok(!actions.some((action) => action.startsWith('key.') && action !== 'key.created'), `${actions}`)
})

test('untrusted text stays text, and the page stays small, whatever tasks contain', async (t) => {
  const service = await startService(t)
  const hostile = '</code></pre><script>alert(1)</script><img src=x onerror=alert(1)>\u202e"\'`&'
  const details = '<'.repeat(9_900)
  const rows = Array.from({ length: 100 }, (_, i) => ({ id: `task ${i}`, title: `${i} ${hostile}`, details }))
  await service.addTasks(rows)
  const browser = await signedIn(service)
  const { id } = await service.createKey({ label: 'x' })
  const page = await browser.get(`${KEYS}/${id}/agent`)
  assert.equal(page.status, 200)
  assert.doesNotMatch(page.text, /<script(?![^>]* src=)|<img src=x|\u202e/)
  assert.ok(page.body.length < MAX_PAGE_BYTES, `${page.body.length} bytes`)
})

test('a key sees what its permissions allow, and which permission each other tool needs', async (t) => {
  const service = await startService(t)
  await service.addTasks([{ id: 'one', title: 'Secret plan' }])
  const browser = await signedIn(service)
  const { id } = await service.createKey({ label: 'x', permissions: ['workspace:read'] })
  const page = await browser.get(`${KEYS}/${id}/agent`)
  assert.doesNotMatch(page.text, /Secret plan/)
  assert.match(shownIn(page), /Not shown to it: list_tasks, which needs tasks:read/)
})
