import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { examineRows } from '../../src/cli/commands/doctor/rows.ts'
import { listsOf } from '../../src/lists/definition.ts'
import { resources } from '../../src/resources/index.ts'
import { connectElsewhere, engines, skipWithoutPostgres, writeUnchecked } from '../support/database.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { startOperator } from '../support/operator.ts'

const AT = "'2026-11-15T12:00:00.000Z'"
const body = (before: string, after: string) =>
  `UPDATE list_items SET body = replace(body, '${before}', '${after}') WHERE id = 'a'`
const created = (at: string) => `UPDATE list_items SET rest = '{"status":"open","createdAt":"${at}"}' WHERE id = 'a'`

/** Rows that no command would write, and how they are reported. */
const faults: [statement: string, fault: RegExp][] = [
  [body('"title":"A"', '"title":""'), /^tasks "a": title must not be empty/],
  [body('"assigneeEmail":null', '"assigneeEmail":"nobody"'), /^tasks "a": assigneeEmail must be an email address/],
  [body('"dueAt":null', '"dueAt":"2026-99-99T00:00:00.000Z"'), /^tasks "a": dueAt must be a valid date and time/],
  [created('15 November'), /^tasks "a": createdAt must be a valid date and time/],
  [created('2026-11-15T12:00:00Z'), /^tasks "a": createdAt is not an instant/],
  [`UPDATE workspaces SET slug = 'No Slug'`, /^workspaces "ws_\w+": the slug must be/],
  [`UPDATE workspaces SET timezone = 'Mars/Olympus'`, /"Mars\/Olympus" is not an IANA timezone/],
  [`UPDATE workspaces SET currency_code = 'XYZ'`, /not an ISO 4217/],
  [`UPDATE workspaces SET country_code = 'UK'`, /not an ISO 3166-1/],
  [`UPDATE workspaces SET name = ''`, /the name must be/],
  [
    `INSERT INTO members (workspace_id, email, role, added_at) SELECT id, 'nobody', 'owner', ${AT} FROM workspaces`,
    /^members "nobody": "nobody" is not an email/,
  ],
  [
    `INSERT INTO members (workspace_id, email, role, added_at) SELECT id, 'A@b.example', 'owner', ${AT} FROM workspaces`,
    /email must be in lower case/,
  ],
  [`UPDATE audit SET detail = 'no JSON'`, /^audit \d+: detail is not a JSON object/],
  [`UPDATE api_keys SET label = ''`, /^api_keys "key_\w+": label must be 1 to 100/],
  [`UPDATE api_keys SET rate_limit = 5`, /half a rate limit/],
  [`UPDATE api_keys SET hash = 'short'`, /hash is not the hash of a key/],
]

/** The other engine has a type for instants. */
const sqliteFaults: typeof faults = [
  [`UPDATE workspaces SET created_at = 'yesterday'`, /created_at is not an instant/],
  [`UPDATE api_keys SET expires_at = '2027-01-01T00:00:00Z'`, /expires_at is not an instant/],
]

for (const engine of engines) {
  const options = engine === 'postgres' ? skipWithoutPostgres() : {}
  const cases = engine === 'sqlite' ? [...faults, ...sqliteFaults] : faults
  for (const [statement, fault] of cases)
    test(`${engine}: found after ${statement}`, options, async (t) => {
      const { examine, writeOld } = await acme(t, engine)
      assert.deepEqual(
        (await examine()).map(({ ok }) => ok),
        [true, true],
      )
      await writeOld(statement)
      const [rows] = await examine()
      assert.equal(rows?.ok, false)
      assert.match(rows?.detail ?? '', fault)
      assert.equal(rows?.hint, 'correct or delete them')
    })

  test(
    `${engine}: the first of many bad rows are named and the others counted, in a bounded line`,
    options,
    async (t) => {
      const { examine, write, writeOld, id } = await acme(t, engine)
      const long = 'x'.repeat(5000)
      for (let i = 0; i < 10; i++)
        await writeOld(`INSERT INTO audit (at, workspace_id, actor, action, subject, detail, number, previous_hash, hash)
                   VALUES (${AT}, '${id}', '${long}', 'x', '${long}', '${long}', ${1000 + i}, '', '')`)
      for (let i = 0; i < 10; i++)
        await write(
          `INSERT INTO key_use (key_id, day, refused, count) VALUES ('${long.slice(0, 400)}${i}', '2026-11-15', '', 1)`,
        )
      const [rows, orphans] = await examine()
      assert.match(rows?.detail ?? '', /; and 7 more$/)
      assert.match(orphans?.detail ?? '', /; and 7 more$/)
      assert.equal(orphans?.hint, 'they are unreachable; delete them')
      for (const found of [rows, orphans]) assert.ok((found?.detail.length ?? 0) < 1000)
    },
  )
}

async function acme(t: TestContext, engine: (typeof engines)[number]) {
  const url = await migratedDatabaseUrl(t, engine)
  const operator = await startOperator(t, url)
  await operator.createKey()
  await operator.addTasks([{ id: 'a', title: 'A' }])
  const elsewhere = await connectElsewhere(url)
  t.after(() => elsewhere.close())
  return {
    id: operator.workspace.id,
    write: (statement: string) => elsewhere.run(statement),
    writeOld: (statement: string) => writeUnchecked(url, statement),
    examine: () => examineRows(operator.store.dump(), listsOf(resources)),
  }
}
