import assert from 'node:assert/strict'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { engineUnderTest, testWith } from '../support/database.ts'
import { acmeProgram, type Program } from '../support/program.ts'
import { sourceServer } from '../support/source-server.ts'
import { waitUntil } from '../support/wait.ts'
import { syncOf, snapshotOf as tasks } from './sync-program.ts'

const test = testWith(acmeProgram)

const engine = engineUnderTest()

const SYNC = syncOf('jira')

async function sourceOf(vitrine: Program) {
  const [source] = await vitrine.query<{
    failures: number
    failure: string | null
    every_seconds: number | null
    location: string
  }>('SELECT * FROM sources')
  return source
}

test(`${engine}: a file is read again each time, a failure is one line, and it continues until stopped`, async (vitrine) => {
  const file = join(vitrine.folder, 'tasks.json')
  writeFileSync(file, tasks('a', 'b'))
  const sync = await vitrine.begin(...SYNC, '--every', '1s', '--json', 'tasks.json')
  await sync.printed('{"created":2,"changed":0,"gone":0,"unchanged":0}\n')
  await sync.printed('{"created":0,"changed":0,"gone":0,"unchanged":2}\n')
  assert.equal((await sourceOf(vitrine))?.every_seconds, 1)
  renameSync(file, `${file}.away`)
  await sync.printed('no such file')
  await waitUntil(async () => (await sourceOf(vitrine))?.failures !== 0)
  const failing = await sourceOf(vitrine)
  assert.deepEqual([failing?.failure, failing?.location], ['tasks.json: no such file or directory', 'tasks.json'])
  assert.match(
    sync.output(),
    /^\{"error":\{"message":"jira of acme: tasks\.json: no such file or directory; trying again in 1 second","code":"failed","at":"\d{4}-\d\d-\d\dT[\d:.]+Z"\}\}$/m,
  )
  writeFileSync(file, '[{"id":"a"},{"id":"b"}]')
  await sync.printed('bad records')
  assert.match(
    sync.output(),
    /jira of acme: nothing was synced: 2 bad records; the first: line 1, item 1, id a: title .*; trying again in \d+ seconds?"/m,
  )
  writeFileSync(file, tasks('a', 'b', 'c'))
  await sync.printed('{"created":1,"changed":0,"gone":0,"unchanged":2}\n')
  assert.equal((await sourceOf(vitrine))?.failures, 0)
  assert.equal(await sync.stop(), 0)
  for (const line of sync.output().trimEnd().split('\n'))
    assert.match(Object.keys(JSON.parse(line))[0] ?? '', /^(created|error)$/)
})

test(`without --json it prints only news: a change, or that it works again`, async (vitrine, t) => {
  let status = 200
  const { url, requests } = await sourceServer(t, (_, response) => response.writeHead(status).end(tasks('a')))
  const sync = await vitrine.begin(...SYNC, '--every', '1s', url().href)
  await waitUntil(() => requests.length >= 3)
  status = 500
  await sync.printed('returned 500')
  status = 200
  await sync.printed(': 0 new')
  assert.equal(await sync.stop('SIGINT'), 0)
  assert.match(
    sync.output().replaceAll(/^\d{4}-\S+ /gm, ''),
    /^Synced 1 task of jira into acme: 1 new, .*\nvitrine: jira of acme: .* returned 500 .*\n(vitrine: .*\n)*Synced 1 task of jira into acme: 0 new, .* 1 unchanged\.\n$/,
  )
})

test('a stop ends a download immediately, with the old state and without a failure', async (vitrine, t) => {
  let isSlow = false
  const { url, requests } = await sourceServer(t, (_, response) => {
    if (isSlow) response.write('[{"id":"x","title":"X"},')
    else response.end(tasks('a'))
  })
  await vitrine.ok(...SYNC, url().href)
  isSlow = true
  const sync = await vitrine.begin(...SYNC, '--every', '1h', url().href)
  await waitUntil(() => requests.length === 2)
  assert.equal(await sync.stop(), 0)
  assert.equal(sync.output(), '')
  assert.equal((await sourceOf(vitrine))?.failures, 0)
})
