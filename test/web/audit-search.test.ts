import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { appendAudit } from '../../src/audit/log.ts'
import { updateWorkspace } from '../support/changes.ts'
import { writeUnchecked } from '../support/database.ts'
import { type Browser, fieldOf, startSignedIn, wordsOf } from '../support/person.ts'
import type { Service } from '../support/service.ts'

const AUDIT = '/settings/workspaces/acme/audit'

type Entry = [at: string, actor: string, action: string, subject: string, detail?: Record<string, unknown>]

async function append({ operator, workspaceId }: Service, entries: Entry[]) {
  await operator.transaction(async (tx) => {
    for (const [at, actor, action, subject, detail = {}] of entries)
      await appendAudit(tx, { at, workspaceId, actor, action, subject, detail })
  })
}

async function started(t: TestContext, entries: Entry[] = []) {
  const { service, browser } = await startSignedIn(t)
  await append(service, entries)
  return { service, browser }
}

/** The subjects of what a filter finds: on the page, and in its exports. */
async function found(browser: Browser, query: string) {
  const page = await browser.get(`${AUDIT}?${query}`)
  assert.equal(page.status, 200, query)
  const subjects = [...page.text.matchAll(/data-name="Subject">(?:<a [^>]*>)?<bdi>(.*?)<\/bdi>/g)].map(([, text]) =>
    (text ?? '').replaceAll('<wbr>', ''),
  )
  const link = /href="([^"]*audit\.ndjson[^"]*)"/.exec(page.text)?.[1]?.replaceAll('&#38;', '&') ?? ''
  const exported = (await browser.get(link)).text.split('\n').filter(Boolean)
  const { length } = subjects
  assert.equal(exported.length, length, `${query}: the export holds the same`)
  return subjects
}

test('the log is filtered by actor, words and days, separately and together, and so are its exports', async (t) => {
  const { browser, service } = await started(t, [
    ['2026-11-10T12:00:00.000Z', 'priya@acme.example', 'test.one', 'a', { label: 'Nightly “Report”' }],
    ['2026-11-11T12:00:00.000Z', 'PRIYA@acme.example', 'key.revoked', 'b', { why: { of: ['Größe 100%'] } }],
    ['2026-11-12T12:00:00.000Z', 'tom@acme.example', 'test.two', 'c', { label: 'night_shift' }],
  ])
  const { id } = await service.createKey({ label: 'Weekly "plan"' })
  const prefix = service.key.slice(0, 10)
  const all = 'to=2026-11-14'
  assert.deepEqual(await found(browser, all), ['c', 'b', 'a'])
  assert.deepEqual(await found(browser, `${all}&who=priya`), ['b', 'a'])
  assert.deepEqual(await found(browser, `${all}&q=REVOKED+the+key`), ['b'])
  assert.deepEqual(await found(browser, `${all}&q=night`), ['c', 'a'])
  assert.deepEqual(await found(browser, `${all}&q=night+tom`), ['c'])
  assert.deepEqual(await found(browser, `${all}&q=${encodeURIComponent('GRÖSSE 100%')}`), ['b'])
  assert.deepEqual(await found(browser, `${all}&q=${encodeURIComponent('“report”')}`), ['a'])
  assert.deepEqual(await found(browser, 'from=2026-11-11&to=2026-11-12&who=priya'), ['b'])
  assert.deepEqual(await found(browser, 'q=weekly'), ['Weekly &#34;plan&#34;'])
  assert.deepEqual(await found(browser, `q=${id}&kind=changes`), ['Weekly &#34;plan&#34;'])
  assert.deepEqual(await found(browser, `q=${prefix}`), ['test'])
  // Neither the wildcards of SQL, nor the names of what an entry holds, mean anything.
  assert.deepEqual(await found(browser, `${all}&q=${encodeURIComponent('%')}`), ['b'])
  assert.deepEqual(await found(browser, `${all}&q=label`), [])
})

test('filters use the workspace’s days and include the last, also when the clocks change', async (t) => {
  const { browser, service } = await started(t, [
    ['2026-10-31T03:59:59.999Z', 'x', 'test', 'the 30th'],
    ['2026-10-31T04:00:00.000Z', 'x', 'test', 'the first of the 31st'],
    ['2026-11-02T04:59:59.999Z', 'x', 'test', 'the last of the 1st'],
    ['2026-11-02T05:00:00.000Z', 'x', 'test', 'the 2nd'],
  ])
  await updateWorkspace(service.operator, 'acme', { timezone: 'America/New_York' }, 'test')
  assert.deepEqual(await found(browser, 'from=2026-10-31&to=2026-11-01'), [
    'the last of the 1st',
    'the first of the 31st',
  ])
  assert.deepEqual(await found(browser, 'from=2026-11-02&to=2026-11-02'), ['the 2nd'])
})

test('an invalid day, a reversed range and a text that is too long are reported, and stay in the form', async (t) => {
  const { browser } = await started(t)
  for (const [query, told] of [
    ['from=2026-02-30', /Enter a valid day/],
    ['from=yesterday', /Enter a valid day/],
    ['from=2026-11-15&to=2026-11-01', /The last day is before the first/],
    [`q=${'x'.repeat(9000)}`, /Use at most 200 characters/],
  ] as const) {
    const page = await browser.get(`${AUDIT}?${query}`)
    assert.equal(page.status, 400, query)
    assert.match(wordsOf(page.text), told)
    assert.doesNotMatch(page.text, /<table/)
    const [name, value = ''] = query.split('&')[0]?.split('=') ?? []
    assert.ok(page.text.includes(`name="${name}" value="${value.slice(0, 201)}"`), query)
    assert.equal((await browser.get(`${AUDIT}.csv?${query}`)).status, 400)
  }
  for (const query of ['kind=x', 'before=x', 'before=2026-02-30T00:00:00.000Z_0_1'])
    assert.equal((await browser.get(`${AUDIT}?${query}`)).status, 400, query)
})

test('a key that is pasted into the search leads to its entries, and is in no address, page or log', async (t) => {
  const { browser, service } = await started(t)
  const { token, id } = await service.createKey({ label: 'pasted' })
  const csrf = fieldOf(await browser.get(AUDIT), 'csrf')
  const asked = await browser.post(AUDIT, {
    csrf,
    q: ` ${token} `,
    kind: 'changes',
    who: '',
    from: '',
    to: '',
    key: '',
  })
  assert.deepEqual([asked.status, asked.headers.location], [303, `${AUDIT}?key=${id}&kind=changes`])
  assert.match((await browser.get(asked.headers.location ?? '')).text, /pasted/)
  const unknown = `vtr_${'x'.repeat(49)}`
  for (const q of [unknown, `the key ${token}`, token.replace('v', '%76')]) {
    const { headers } = await browser.post(AUDIT, { csrf, q })
    const page = await browser.get(headers.location ?? '')
    assert.equal(page.status, 400)
    assert.match(wordsOf(page.text), /contains a key, or text that looks like one/)
    for (const text of [headers.location ?? '', page.text])
      assert.doesNotMatch(text, new RegExp(`${token.slice(0, 12)}|vtr_xxxxxxx`))
  }
  assert.ok(!service.logLines.join('').includes(token.slice(0, 12)))
})

test('the pages of the log follow each other without gaps, stay small and keep the filter, whatever is in it', async (t) => {
  const sessions = Array.from({ length: 130 }, (_, i): Entry => {
    // Several at each instant.
    const at = new Date(Date.parse('2026-11-14T00:00:00.000Z') + Math.floor(i / 3) * 1000).toISOString()
    return [
      at,
      `someone-${i}@a-company-with-a-long-name.example`,
      i % 3 === 0 ? 'key.revoked' : 'session.started',
      's',
      { n: i },
    ]
  })
  const { browser, service } = await started(t, sessions)
  for (let i = 0; i < 120; i++) await service.createKey({ label: `a label of a usual length ${i}` })
  const seen: string[] = []
  let path: string | undefined = `${AUDIT}?to=2026-11-14&who=company`
  while (path !== undefined) {
    const { text }: { text: string } = await browser.get(path)
    assert.ok(text.length < 60_000, `${text.length} bytes`)
    assert.ok(path.includes('who=company') && path.includes('to=2026-11-14'))
    seen.push(...[...text.matchAll(/someone-(?:<wbr>)?(\d+)@/g)].map(([, n]) => n ?? ''))
    path = /rel="next" href="([^"]*)"/.exec(text)?.[1]?.replaceAll('&#38;', '&')
  }
  assert.deepEqual(
    seen,
    Array.from({ length: 130 }, (_, i) => String(129 - i)),
  )
})

/** Without hashes: only how many there are matters. */
const fill = (service: Service, count: number) =>
  writeUnchecked(
    service.databaseUrl,
    `WITH RECURSIVE numbers AS (SELECT 1000 AS n UNION ALL SELECT n + 1 FROM numbers WHERE n < ${999 + count})
    INSERT INTO audit (at, workspace_id, actor, action, subject, detail, number, previous_hash, hash)
    SELECT '2026-11-13T13:00:00.000Z', '${service.workspaceId}', 'x', 'y', 'z', '{}', n, '', '' FROM numbers`,
  )

test('a search in a long log stops, shows that, and continues where it stopped', async (t) => {
  const { browser, service } = await started(t, [['2026-11-12T12:00:00.000Z', 'x', 'test', 'needle']])
  await fill(service, 21_000)
  const first = await browser.get(`${AUDIT}?q=needle`)
  assert.equal(first.status, 200)
  assert.match(wordsOf(first.text), /Older entries have not been searched yet\. .*Search older entries/)
  assert.doesNotMatch(first.text, /No entries match/)
  const next = /rel="next" href="([^"]*)"/.exec(first.text)?.[1]?.replaceAll('&#38;', '&') ?? ''
  const second = await browser.get(next)
  assert.match(second.text, /<bdi>needle<\/bdi>/)
  assert.doesNotMatch(second.text, /not searched|rel="next"/)
})
