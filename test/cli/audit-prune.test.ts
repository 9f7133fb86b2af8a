// On both engines: triggers let only old entries go.
import assert from 'node:assert/strict'
import { appendAudit } from '../../src/audit/log.ts'
import { engineUnderTest, testWith, writeUnchecked } from '../support/database.ts'
import { acmeProgram } from '../support/program.ts'

const test = testWith(acmeProgram)

const DAY_MS = 86_400_000
const ENTRY = { workspaceId: 'quiet', actor: 'x', action: 'y', subject: '', detail: {} }

test(`${engineUnderTest()}: audit prune removes entries past AUDIT_RETENTION, and audit verify reports it`, async (vitrine) => {
  const { workspaceId } = vitrine
  const url = vitrine.env.DATABASE_URL ?? ''
  const unset = await vitrine.run('audit', 'prune')
  assert.deepEqual([unset.code, unset.stdout], [1, ''])
  assert.match(
    unset.stderr,
    /^vitrine: AUDIT_RETENTION: must be set, such as 400d; without it all audit entries are kept\n$/,
  )

  const entry = { ...ENTRY, at: '2020-01-01T00:00:00.000Z' }
  await vitrine.transaction(async (tx) => {
    for (const id of ['gone', 'broken'])
      for (let i = 0; i < 3; i++) await appendAudit(tx, { ...entry, workspaceId: id })
  })
  vitrine.env.AUDIT_RETENTION = '400d'
  await writeUnchecked(url, `UPDATE audit SET actor = 'z' WHERE number = 2 AND workspace_id = 'broken'`)
  assert.match(
    await vitrine.fails(1, 'audit', 'prune'),
    /^vitrine: nothing was removed: the clock may be ahead, because nothing was recorded since 2020-01-01T00:00:00.000Z; /,
  )
  const lastMonth = new Date(Date.now() - 30 * DAY_MS).toISOString()
  await vitrine.transaction((tx) => appendAudit(tx, { ...ENTRY, at: lastMonth }))
  assert.deepEqual(await vitrine.jsonLines('audit', 'prune'), [
    { ...{ workspace: null, workspaceId: 'broken', removed: 0, through: null }, fault: { kind: 'changed', number: 2 } },
    { workspace: null, workspaceId: 'gone', removed: 3, through: 3, fault: null },
  ])
  assert.equal(
    await vitrine.fails(1, 'audit', 'prune'),
    "broken: removed 0 entries; entry 2 is broken and was kept as evidence: run 'vitrine audit verify'\n",
  )
  const verified = await vitrine.run('audit', 'verify')
  assert.match(
    verified.stdout,
    /^ok {4}gone \(deleted\): 1 entry \(older ones, up to 3, were pruned, most recently on \S+Z\), head 4:/m,
  )
  const found = await vitrine.jsonLines('audit', 'verify')
  const gone = found.find((finding) => finding.workspaceId === 'gone')
  assert.deepEqual([gone.ok, gone.first, gone.pruned.through], [true, 4, 3])
  assert.equal(found.find((finding) => finding.workspaceId === workspaceId).pruned, null)
})
