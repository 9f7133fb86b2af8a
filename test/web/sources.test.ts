import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SqlValue } from '../../src/database/connection.ts'
import { createWorkspace } from '../support/changes.ts'
import { startSignedIn, wordsOf } from '../support/person.ts'
import type { startService } from '../support/service.ts'

const SOURCES = '/settings/workspaces/acme/workspace'

/** As a sync leaves it. */
const adder =
  (service: Awaited<ReturnType<typeof startService>>) =>
  (workspaceId: string, ...values: SqlValue[]) =>
    service.operator.transaction((tx) =>
      tx.run(
        `INSERT INTO sources (workspace_id, list, name, created_at, synced_at, attempted_at, failing_since, failure,
           failures, every_seconds, location, row_count) VALUES (?, 'tasks', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        ...[workspaceId, ...values],
      ),
    )

test('the workspace page shows when each was synced, and which fails since when and why', async (t) => {
  const { service, browser } = await startSignedIn(t)
  assert.match((await browser.get(SOURCES)).text, /No sources yet/)
  const ago = (minutes: number) => new Date(service.time.now - minutes * 60_000).toISOString()
  const add = adder(service)
  const { workspaceId: id } = service
  await add(id, 'linear', ago(99), ago(3), ago(3), null, null, 0, 300, 'https://l.example/x.json', 1234)
  const failure = 'j.example: answers <b>500</b>'
  await add(id, 'jira', ago(99), ago(60), ago(1), ago(50), failure, 9, 300, 'https://j.example/', 7)
  await add(id, 'stopped', ago(999), ago(500), ago(500), null, null, 0, 3600, 'x.csv', 1)
  await add(id, 'typo', ago(999), null, ago(500), ago(500), 'x', 1, 60, 'x.csv', null)
  const other = await createWorkspace(service.operator, { name: 'Other', slug: 'other' }, 'test', ago(99))
  await add(other.id, 'foreign', ago(99), ago(3), ago(3), null, null, 0, null, 'x.csv', 1)
  const { status, text } = await browser.get(SOURCES)
  assert.equal(status, 200)
  const words = wordsOf(text)
  assert.match(words, /linear https:\/\/l\.example\/x\.json 1,234 tasks 3 minutes ago every 5 minutes Synced/)
  assert.match(
    words,
    /jira https:\/\/j\.example\/ 7 tasks 1 hour ago every 5 minutes Failing Failing since 15 Nov 2026, 11:10 \. j\.example: answers &#60;b&#62;500/,
  )
  assert.match(words, /stopped x\.csv 1 tasks 8 hours ago every hour Overdue No attempt since 15 Nov 2026, 03:40/)
  assert.match(words, /Never synced, no longer tried: typo \. Check the name/)
  assert.doesNotMatch(words, /typo x|foreign/)
})

test("the workspace page names files without the server's folders", async (t) => {
  const { service, browser } = await startSignedIn(t)
  const at = new Date(service.time.now).toISOString()
  const { workspaceId: id } = service
  const add = (name: string, failure: string, location: string) =>
    adder(service)(id, name, at, at, at, at, failure, 1, null, location, 1)
  await add('file', '/srv/secret exports/tasks.csv: no such file', '/srv/secret exports/tasks.csv')
  await add('token', 'SYNC_TOKEN_FILE: /etc/secret/token cannot be read (ENOENT)', 'https://x.example/a/b.json')
  await add('url', 'https://x.example/a/b.json: answers 500', 'https://x.example/a/b.json')
  const words = wordsOf((await browser.get(SOURCES)).text)
  assert.doesNotMatch(words, /secret|srv|etc/)
  for (const shown of [
    ' tasks.csv: no such file',
    'SYNC_TOKEN_FILE: token cannot',
    'https://x.example/a/b.json: answers',
  ])
    assert.ok(words.includes(shown), shown)
})
