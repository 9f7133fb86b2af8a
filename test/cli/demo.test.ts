// On both engines: one smoke of the whole program.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../support/person.ts'
import { program } from '../support/program.ts'

test('the demo fills an empty database, prints a key and working commands, and on its second start explains how to continue', async (t) => {
  const vitrine = program(t)
  const demo = await vitrine.start('demo')
  await demo.printed('Ctrl+C')
  const link = /http:\S+\/settings\/sign-in\/link\?token=\S+/.exec(demo.output())?.[0] ?? ''
  const browser = new Browser(demo.url)
  assert.equal((await browser.follow(link)).headers.location, '/settings/workspaces/northwind')
  assert.match((await browser.get('/settings/workspaces/northwind/keys')).text, /ines@northwind\.example/)

  await t.test('it has weeks of usage, one overdue source, and an intact audit log', async () => {
    const { text } = await browser.get('/settings/workspaces/northwind')
    const words = text.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')
    const [week = 0, month = 0] = ['7 days', '30 days'].map((period) =>
      Number((new RegExp(`last ${period} ([\\d,]+)`).exec(words)?.[1] ?? '').replaceAll(',', '')),
    )
    assert.ok(week > 200 && month > 3 * week, `${week} and ${month} requests`)
    const attention = /Needs attention(.*?)Requests, today/.exec(words)?.[1] ?? ''
    assert.match(
      attention,
      /Planning sheet vtr_\w{6}… May have leaked.*supplier-sheet No attempt since.*Stock dashboard vtr_\w{6}… Expiring/,
    )
    assert.doesNotMatch(attention, /\bdemo\b/)
    assert.match(words, /Busiest keys, last 7 days All keys Stock dashboard/)
    const keys = (await browser.get('/settings/workspaces/northwind/keys')).text
    for (const state of ['paused', 'revoked', 'expiring']) assert.match(keys, new RegExp(`pill ${state}`))
    assert.match(await vitrine.ok('audit', 'verify'), /^ok {4}northwind: \d+ entries/)
  })

  const key = /vtr_[0-9A-Za-z]{49}/.exec(demo.output())?.[0] ?? ''
  const response = await fetch(`${demo.url}/tasks`, { headers: { authorization: `Bearer ${key}` } })
  const { tasks } = (await response.json()) as { tasks: { title: string; dueAt: string | null }[] }
  assert.ok(tasks.length >= 25, `${tasks.length} current tasks`)
  const now = Date.now()
  const due = tasks.map(({ dueAt }) => dueAt && Date.parse(dueAt))
  assert.ok(due.some((at) => at && at < now) && due.some((at) => at && at > now) && due.includes(null))
  const [, body, endpoint = ''] = /-d '(.+)' (\S+)/.exec(demo.output()) ?? []
  assert.equal(endpoint, `${demo.url}/v2/mcp`)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const called = await fetch(endpoint, { method: 'POST', headers, body: body ?? '' })
  const { result } = (await called.json()) as { result: { content: { text: string }[] } }
  assert.equal(JSON.parse(result.content[0]?.text ?? '').tasks.length, 3)
  await demo.stop()

  // People sign in at the URL at which others reach the service.
  vitrine.env.PUBLIC_URL = 'https://vitrine.example'
  const second = await vitrine.start('demo')
  await second.printed('Ctrl+C')
  assert.match(second.output(), / {2}vitrine key create --workspace northwind --label/)
  assert.match(second.output(), /https:\/\/vitrine\.example\/settings\/sign-in\/link\?token=/)
  assert.ok(!second.output().includes('vtr_'))
  assert.equal((await fetch(`${second.url}/tasks`, { headers: { authorization: `Bearer ${key}` } })).status, 200)
})
