import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PagesInProgress, tooManyPages } from '../../src/web/pages-in-progress.ts'
import { paths } from '../../src/web/paths.ts'
import { fieldOf, KEYS, OVERVIEW, signedIn, startSignedIn } from '../support/person.ts'
import { NOON } from '../support/service.ts'
import { waitUntil } from '../support/wait.ts'

const POLL = paths.firstUse('acme', 'key_0123456789abcdef01')

test('a ninth page of a person at once gets a 503 with Retry-After, and other people get theirs', async (t) => {
  const { service, browser } = await startSignedIn(t)
  const other = await signedIn(service, 'admin')
  const { operator } = service
  const read = operator.read.bind(operator)
  const { promise: opened, resolve: open } = Promise.withResolvers<void>()
  let waiting = 0
  operator.read = (async (work, isGone) => {
    waiting++
    await opened
    return read(work, isGone)
  }) as typeof operator.read
  const pages = Array.from({ length: 8 }, () => browser.get(OVERVIEW))
  await waitUntil(() => waiting === 8)
  const refused = await browser.get(OVERVIEW)
  assert.equal(refused.status, 503)
  assert.equal(refused.headers['retry-after'], '2')
  assert.match(refused.text, /Too many pages at once.*Nothing was changed/s)
  const poll = await browser.get(POLL)
  assert.equal(poll.status, 503)
  assert.equal((poll.json as { code: string }).code, 'overloaded')
  const others = other.get(OVERVIEW)
  open()
  assert.equal((await others).status, 200)
  for (const { status } of await Promise.all(pages)) assert.equal(status, 200)
  assert.equal((await browser.get(OVERVIEW)).status, 200, 'their end makes room')
})

test('a person has eight pages in all workspaces, a workspace sixteen, and who has none there still gets one', async () => {
  const pages = new PagesInProgress()
  const ends: (() => void)[] = []
  const begin = (person: string, workspace: string) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    ends.push(resolve)
    return pages.run(person, workspace, () => promise)
  }
  const refused = (person: string, workspace: string) => assert.rejects(begin(person, workspace), tooManyPages)
  const begun: Promise<void>[] = []
  for (let i = 0; i < 8; i++) begun.push(begin('ann', `workspace ${i % 2}`))
  await refused('ann', 'workspace 2')
  for (const person of ['ben', 'cat']) for (let i = 0; i < 6; i++) begun.push(begin(person, 'workspace 0'))
  await refused('ben', 'workspace 0')
  begun.push(begin('ben', 'workspace 1'), begin('dan', 'workspace 0'))
  for (const end of ends) end()
  await Promise.all(begun)
  await pages.run('ann', 'workspace 0', async () => {})
})

test('a person sends 100 forms in five minutes; the next get a 429, and other people theirs', async (t) => {
  const { service, browser } = await startSignedIn(t)
  const other = await signedIn(service, 'admin')
  const search = paths.searchKeys('acme')
  const csrf = fieldOf(await browser.get(KEYS), 'csrf')
  const send = (fields: Record<string, string>) => browser.post(search, { q: 'x', ...fields })
  assert.equal((await send({})).status, 403, 'not counted: another site could send it')
  for (let i = 0; i < 100; i++) assert.equal((await send({ csrf })).status, 303)
  const refused = await send({ csrf })
  assert.equal(refused.status, 429)
  assert.equal(refused.headers['retry-after'], '300')
  const own = fieldOf(await other.get(KEYS), 'csrf')
  assert.equal((await other.post(search, { csrf: own, q: 'x' })).status, 303)
  service.time.now = NOON + 300_000
  assert.equal((await send({ csrf })).status, 303)
})
