import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { engineUnderTest } from '../support/database.ts'
import { acmeProgram, type Program } from '../support/program.ts'
import { sourceServer } from '../support/source-server.ts'
import { syncOf, snapshotOf as tasks } from './sync-program.ts'

const engine = engineUnderTest()

const SYNC = syncOf('jira')

async function source(t: TestContext, body: string) {
  const state = { body, status: 200 }
  return Object.assign(await sourceServer(t, (_, response) => response.writeHead(state.status).end(state.body)), {
    state,
  })
}

interface SourceRow {
  name: string
  synced_at: string | null
  attempted_at: string
  failing_since: string | null
  failure: string | null
  failures: number
  every_seconds: number | null
  location: string
  row_count: number | null
}

const sourceRows = (vitrine: Program) => vitrine.query<SourceRow>('SELECT * FROM sources ORDER BY name')

test(`${engine}: a failure is recorded with its source until the next success, and changes nothing`, async (t) => {
  const vitrine = await acmeProgram(t)
  const { url, state, origin } = await source(t, tasks('a', 'b'))
  const location = `${url().href}?token=hush`
  state.status = 500
  assert.equal(
    await vitrine.fails(1, ...SYNC, location),
    `vitrine: ${origin}/tasks.json: returned 500 Internal Server Error instead of 200\n`,
  )
  // A failure of a name that was never synced is not recorded.
  assert.deepEqual(await sourceRows(vitrine), [])
  state.status = 200
  await vitrine.ok(...SYNC, location)
  state.status = 503
  for (let i = 0; i < 2; i++) assert.equal((await vitrine.run(...SYNC, location)).code, 1)
  const [row] = await sourceRows(vitrine)
  assert.ok(row)
  assert.equal(row.failures, 2)
  assert.equal(row.failure, `${origin}/tasks.json: returned 503 Service Unavailable instead of 200`)
  assert.ok(row.failing_since !== null && row.synced_at !== null && row.synced_at < row.failing_since)
  assert.ok(row.failing_since < row.attempted_at)
  assert.equal(row.location, `${origin}/tasks.json`)
  assert.equal(row.every_seconds, null)
  // A dry run is not an attempt, and too many removals are an ordinary failure.
  await vitrine.run(...SYNC, '--dry-run', location)
  assert.equal((await sourceRows(vitrine))[0]?.failures, 2)
  Object.assign(state, { status: 200, body: '[{"id":"a"}]' })
  const bad = await vitrine.run(...SYNC, location)
  assert.match(bad.stderr, /^line 1, item 1, id a: title .*\nvitrine: nothing was synced: 1 bad record\n$/)
  assert.match(
    (await sourceRows(vitrine))[0]?.failure ?? '',
    /^nothing was synced: 1 bad record; the first: line 1, item 1, id a: title/,
  )
  // Nothing has changed, and the source is healthy again.
  state.body = tasks('a', 'b')
  await vitrine.ok(...SYNC, location)
  const [well] = await sourceRows(vitrine)
  assert.deepEqual([well?.failing_since, well?.failure, well?.failures, Number(well?.row_count)], [null, null, 0, 2])
})

test('credentials come from the environment or a file, and are shown nowhere', async (t) => {
  const vitrine = await acmeProgram(t)
  const { origin, requests } = await sourceServer(t, ({ url }, response) => {
    if (url?.startsWith('/no')) response.writeHead(401).end()
    else response.end(tasks('a'))
  })
  const file = join(vitrine.folder, 'token')
  writeFileSync(file, 'hush-in-file\n')
  Object.assign(vitrine.env, { SYNC_TOKEN_FILE: file, SYNC_HEADER: 'X-Api-Key: hush-header' })
  const outcomes = [
    await vitrine.run(...SYNC, `${origin}/tasks?key=hush-query`),
    await vitrine.run(...SYNC, `${origin}/no?key=hush-query`),
    await vitrine.run(...SYNC, '--every', '1h', origin.replace('//', '//user:hush-url@')),
  ]
  assert.deepEqual(
    outcomes.map(({ code }) => code),
    [0, 1, 2],
  )
  const [, refused, inUrl] = outcomes.map(({ stderr }) => stderr)
  assert.match(
    refused ?? '',
    /\/no: returned 401 Unauthorized instead of 200; check the credentials in SYNC_TOKEN or SYNC_HEADER\n$/,
  )
  assert.match(inUrl ?? '', /^vitrine: the URL must not contain a user name or password/)
  for (const { headers } of requests)
    assert.deepEqual([headers.authorization, headers['x-api-key']], ['Bearer hush-in-file', 'hush-header'])
  vitrine.env.SYNC_HEADER = 'hush-header'
  outcomes.push(await vitrine.run(...SYNC, `${origin}/tasks`))
  const kept = [await sourceRows(vitrine), outcomes, await vitrine.ok('audit', '--workspace', 'acme', '--json')]
  assert.doesNotMatch(JSON.stringify(kept), /hush/)
})
