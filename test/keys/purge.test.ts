// On both engines: foreign keys and triggers let only old keys go.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newestEntries } from '../../src/audit/log.ts'
import { verifyEveryChain } from '../../src/audit/verify.ts'
import { purgeKeys } from '../../src/keys/purge.ts'
import { workspaceOrThrow } from '../../src/workspaces/records.ts'
import { engineUnderTest } from '../support/database.ts'
import { listKeys } from '../support/keys.ts'
import { KEYS, signedIn } from '../support/person.ts'
import { NOON, startService } from '../support/service.ts'

const DAY_MS = 86_400_000
const engine = engineUnderTest()
const ENDED_BEFORE = NOON - 365 * DAY_MS
const at = (days: number) => new Date(NOON + days * DAY_MS).toISOString()

async function startWithKeys(t: Parameters<typeof startService>[0]) {
  const service = await startService(t)
  const { operator, keys, time } = service
  const { id: workspaceId } = await operator.read((tx) => workspaceOrThrow(tx, 'acme'))
  /** A key that was created, used and refused long ago, and then ended in the given way. */
  const keyOf = async (
    label: string,
    ageDays: number,
    end: (id: string) => Promise<unknown>,
    expiresAt: string | null = at(-ageDays + 100),
  ) => {
    time.now = NOON - ageDays * DAY_MS
    const { id, token } = await service.createKey({ label, expiresAt })
    await end(id)
    time.now = NOON
    return { id, token }
  }
  return { service, operator, keys, workspaceId, keyOf }
}

test(`${engine}: keys that ended long ago are removed with all their records, and nothing else is`, async (t) => {
  const { service, operator, keys, workspaceId, keyOf } = await startWithKeys(t)
  const revoked = await keyOf('revoked', 400, (id) => keys.revoke(id))
  const expired = await keyOf('expired', 470, async () => {})
  const rotated = await keyOf('rotated', 400, (id) => keys.rotate(id, 0))
  const lately = await keyOf('lately', 364, (id) => keys.revoke(id))
  const recorded = [revoked, expired, rotated, lately]
  await operator.transaction(async (tx) => {
    for (const { id } of recorded) {
      const day = at(-400).slice(0, 10)
      await tx.run("INSERT INTO key_use (key_id, day, refused, count) VALUES (?, ?, '', 1)", id, day)
      await tx.run(
        `INSERT INTO request_log (workspace_id, key_id, at, request_id, operation, outcome, ms, bytes)
         VALUES (?, ?, ?, 'r', 'GET /tasks', 'ok', 1, 0)`,
        ...[workspaceId, id, at(-1)],
      )
    }
  })
  assert.deepEqual(await purgeKeys(operator, ENDED_BEFORE, 'test'), [{ workspaceId, removed: 3 }])

  const left = (await operator.read((tx) => listKeys(tx, workspaceId))).map(({ label }) => label)
  assert.deepEqual(left.sort(), ['lately', 'rotated', 'test'], 'the successor of the rotated one ended later')
  for (const table of ['key_use', 'request_log'])
    assert.deepEqual(
      (await operator.read((tx) => tx.all<{ id: string }>(`SELECT DISTINCT key_id AS id FROM ${table}`))).map(
        ({ id }) => id,
      ),
      [lately.id],
      table,
    )
  const [entry] = await operator.read((tx) => newestEntries(tx, workspaceId, 1))
  assert.deepEqual(
    [entry?.action, entry?.actor, entry?.subject, entry?.detail],
    ['key.purged', 'test', workspaceId, { removed: 3, endedBefore: new Date(ENDED_BEFORE).toISOString() }],
  )
  assert.deepEqual(
    (await operator.read((tx) => verifyEveryChain(tx, []))).map(({ fault }) => fault),
    [null],
  )
  assert.deepEqual(await purgeKeys(operator, ENDED_BEFORE, 'test'), [], 'nothing is left, and nothing is written')

  for (const { token } of recorded) {
    const response = await service.get('/tasks', { authorization: `Bearer ${token}` })
    assert.equal(response.status, 401)
  }
  const browser = await signedIn(service)
  const audit = await browser.get(`${KEYS.replace('/keys', '/audit')}?key=${revoked.id}`)
  assert.equal(audit.status, 200)
  assert.match(audit.text, /Revoked the key/)
  assert.match(audit.text, /data-name="Subject"><bdi>revoked</, 'its label is still known from its entries')
  assert.match((await browser.get(KEYS.replace('/keys', '/audit'))).text, /Removed keys that ended long ago/)
  assert.equal((await browser.get(`${KEYS}/${revoked.id}`)).status, 404)
})

test(`${engine}: a successor of a working key stays, even if it ended long ago`, async (t) => {
  const { operator, keys, workspaceId, keyOf } = await startWithKeys(t)
  let successor = ''
  const rotateInVain = async (id: string) => {
    successor = (await keys.rotate(id, 3000 * DAY_MS)).key.id
    await keys.revoke(successor)
  }
  const old = await keyOf('old', 500, rotateInVain, null)
  assert.deepEqual(await purgeKeys(operator, ENDED_BEFORE, 'test'), [])
  await keys.revoke(old.id)
  assert.deepEqual(await purgeKeys(operator, NOON + DAY_MS, 'test'), [{ workspaceId, removed: 2 }])
})

test(`${engine}: two replicas that purge at once announce each removed key once`, async (t) => {
  const { operator, keys, workspaceId, keyOf } = await startWithKeys(t)
  for (const label of ['a', 'b', 'c']) await keyOf(label, 400, (id) => keys.revoke(id))
  await Promise.all([purgeKeys(operator, ENDED_BEFORE, 'one'), purgeKeys(operator, ENDED_BEFORE, 'two')])
  const entries = await operator.read((tx) => newestEntries(tx, workspaceId, 10))
  const announced = entries.filter(({ action }) => action === 'key.purged').map(({ detail }) => detail.removed)
  assert.deepEqual(announced, [3])
})
