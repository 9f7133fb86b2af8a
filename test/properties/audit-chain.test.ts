// On both engines: triggers keep entries as they are.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { type AuditRecord, appendAudit, ENTRY, hashOf, type StoredEntry } from '../../src/audit/log.ts'
import { pruneAudit } from '../../src/audit/retention.ts'
import { verifyChain } from '../../src/audit/verify.ts'
import type { OperatorStore } from '../../src/database/store.ts'
import {
  columnOf,
  connectElsewhere,
  engineUnderTest,
  insertion,
  literal,
  runs,
  writeUnchecked,
} from '../support/database.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { openStore } from '../support/operator.ts'

const DAY_MS = 86_400_000

/** What makes a form of JSON or of UTF-8 differ from another: quotes, controls, half characters, what is beyond them. */
const text = fc.string({
  unit: fc.constantFrom('a', '"', "'", '\\', '/', '\n', '\t', '\u001f', '\u007f', 'é', '\u2028', '😀', '\ud800', '<'),
  maxLength: 6,
})
const record = fc.record({
  at: fc
    .date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((d) => d.toISOString()),
  actor: text,
  action: text,
  subject: text,
  detail: fc.dictionary(text, fc.oneof(text, fc.integer(), fc.constant(null)), { maxKeys: 3 }),
})
const records = fc.array(record, { minLength: 3, maxLength: 8 })

/** A database that takes two entries of one number. */
async function lab(t: TestContext) {
  const url = await migratedDatabaseUrl(t)
  const store = await openStore(t, url)
  const elsewhere = await connectElsewhere(url, t)
  if (engineUnderTest() === 'postgres') await elsewhere.run('ALTER TABLE audit DROP CONSTRAINT audit_number')
  else {
    const triggers = await elsewhere.all<{ sql: string }>(
      `SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'audit'`,
    )
    await elsewhere.run(
      `DROP TABLE audit;
       CREATE TABLE audit (id INTEGER PRIMARY KEY, at, workspace_id, actor, action, subject, detail, number, previous_hash, hash);
       ${triggers.map(({ sql }) => sql).join(';')}`,
    )
  }
  return { store, tamper: (statement: string) => writeUnchecked(url, statement) }
}
type Lab = Awaited<ReturnType<typeof lab>>

const freshId = () => `ws_${randomBytes(9).toString('hex')}`

async function write(store: OperatorStore, workspaceId: string, entries: Omit<AuditRecord, 'workspaceId'>[]) {
  await store.transaction(async (tx) => {
    for (const entry of entries) await appendAudit(tx, { ...entry, workspaceId })
  })
  return stored(store, workspaceId)
}

const stored = (store: OperatorStore, workspaceId: string) =>
  store.read((tx) =>
    tx.all<StoredEntry>(`SELECT ${ENTRY} FROM audit WHERE workspace_id = ? ORDER BY number, id`, workspaceId),
  )

const verify = (store: OperatorStore, workspaceId: string, expected?: { number: number; hash: string }) =>
  store.read((tx) => verifyChain(tx, workspaceId, expected))

const assignments = (entry: Partial<StoredEntry>) =>
  Object.entries(entry).map(([field, value]) => `${columnOf(field)} = ${literal(value)}`)

/** Tampers with the tables of one workspace. */
const hand = ({ tamper }: Lab, workspaceId: string) => ({
  set: (entry: StoredEntry, changes: Partial<StoredEntry>) =>
    tamper(`UPDATE audit SET ${assignments(changes)} WHERE id = ${entry.id}`),
  remove: (condition: string) => tamper(`DELETE FROM audit WHERE workspace_id = '${workspaceId}' AND ${condition}`),
  insert: ({ id: _, ...entry }: StoredEntry) => tamper(insertion('audit', [entry])),
  setHead: (changes: string) => tamper(`UPDATE audit_heads SET ${changes} WHERE workspace_id = '${workspaceId}'`),
  dropHead: () => tamper(`DELETE FROM audit_heads WHERE workspace_id = '${workspaceId}'`),
})

const forged = (entry: StoredEntry): StoredEntry => ({ ...entry, hash: hashOf(entry) })

interface Case {
  entries: StoredEntry[]
  /** The entry that is touched, and another. */
  entry: StoredEntry
  later: StoredEntry
  last: StoredEntry
  hand: ReturnType<typeof hand>
}

const EDITS: Record<string, (entry: StoredEntry) => Partial<StoredEntry>> = {
  at: ({ at }) => ({ at: new Date(Date.parse(at) + 1).toISOString() }),
  actor: ({ actor }) => ({ actor: `${actor} ` }),
  action: ({ action }) => ({ action: `x${action}` }),
  subject: ({ subject }) => ({ subject: `${subject}\n` }),
  detail: ({ detail }) => ({ detail: `${detail} ` }),
  'previous hash': ({ hash }) => ({ previousHash: hash }),
  hash: ({ previousHash }) => ({ hash: previousHash }),
}

/** Tampers, and returns the fault that must be reported: its kind and the number of the first entry that does not match. */
type Tamper = (c: Case) => Promise<[string, number]>

const edits = Object.entries(EDITS).map(([name, change]): [string, Tamper] => [
  `another ${name}`,
  async ({ entry, hand }) => {
    await hand.set(entry, change(entry))
    return ['changed', entry.number]
  },
])

const CASES: Record<string, Tamper> = {
  async 'another number'({ entry, last, hand }) {
    await hand.set(entry, { number: last.number + 2 })
    return ['missing', entry.number]
  },
  async 'another workspace'({ entry, last, hand }) {
    await hand.set(entry, { workspaceId: freshId() })
    return [entry === last ? 'cut off' : 'missing', entry.number]
  },
  async 'one removed'({ entry, last, hand }) {
    await hand.remove(`number = ${entry.number}`)
    return [entry === last ? 'cut off' : 'missing', entry.number]
  },
  async 'one removed, and those after it moved up'({ entry, entries, last, hand }) {
    await hand.remove(`number = ${entry.number}`)
    for (const other of entries.slice(entry.number)) await hand.set(other, { number: other.number - 1 })
    return entry === last ? ['cut off', entry.number] : ['changed', entry.number]
  },
  async 'the tail cut off'({ entry, hand }) {
    await hand.remove(`number >= ${entry.number}`)
    return ['cut off', entry.number]
  },
  async 'two swapped'({ entry, later, hand }) {
    await hand.set(entry, { number: later.number })
    await hand.set(later, { number: entry.number })
    return ['changed', entry.number]
  },
  async 'one inserted, and those from there on moved down'({ entry, entries, last, hand }) {
    for (const other of entries.slice(entry.number - 1).reverse()) await hand.set(other, { number: other.number + 1 })
    await hand.insert(forged({ ...entry, actor: 'mallory' }))
    await hand.setHead(`number = ${last.number + 1}`)
    return ['changed', entry.number + 1]
  },
  async 'a second one with the same number'({ entry, hand }) {
    await hand.insert(forged({ ...entry, actor: 'mallory' }))
    return ['inserted', entry.number]
  },
  async 'one after the end'({ last, hand }) {
    await hand.insert(forged({ ...last, number: last.number + 1, previousHash: last.hash }))
    return ['inserted', last.number + 1]
  },
  async 'one before the beginning'({ entry, hand }) {
    await hand.insert(forged({ ...entry, number: 0 }))
    return ['inserted', 0]
  },
  async 'one rewritten together with its hash'({ entry, last, hand }) {
    const { actor, hash } = forged({ ...entry, actor: 'mallory' })
    await hand.set(entry, { actor, hash })
    return entry === last ? ['changed', entry.number] : ['unlinked', entry.number + 1]
  },
  async 'a head further on'({ last, hand }) {
    await hand.setHead(`number = ${last.number + 1}`)
    return ['cut off', last.number + 1]
  },
  async 'a head further back'({ last, hand }) {
    await hand.setHead(`number = ${last.number - 1}, hash = ${literal(last.previousHash)}`)
    return ['inserted', last.number]
  },
  async 'a head of another hash'({ last, hand }) {
    await hand.setHead(`hash = ${literal(last.previousHash)}`)
    return ['changed', last.number]
  },
  async 'no head'({ hand }) {
    await hand.dropHead()
    return ['no head', 1]
  },
  async 'a beginning removed without a record of it'({ entry, later, hand }) {
    await hand.remove(`number < ${later.number} AND number <= ${entry.number}`)
    return ['missing', 1]
  },
}

test('any single change to a chain is found, and the first entry that does not match is named', async (t) => {
  const parts = await lab(t)
  for (const [name, tamper] of [...edits, ...Object.entries(CASES)])
    await t.test(name, () =>
      fc.assert(
        fc.asyncProperty(records, fc.nat(), fc.nat(), async (given, i, j) => {
          const workspaceId = freshId()
          const entries = await write(parts.store, workspaceId, given)
          const last = entries.at(-1) as StoredEntry
          const entry = entries[i % entries.length] as StoredEntry
          const others = entries.slice(0, -1)
          const [first, second] = [
            others[i % others.length],
            entries[(i % others.length) + 1 + (j % (entries.length - 1 - (i % others.length)))],
          ]
          const swaps = name === 'two swapped' || name.startsWith('a beginning')
          const touched = swaps ? (first as StoredEntry) : entry
          const clean = await verify(parts.store, workspaceId)
          assert.deepEqual([clean.fault, clean.entries], [null, given.length])
          const expected = await tamper({
            entries,
            entry: touched,
            later: second as StoredEntry,
            last,
            hand: hand(parts, workspaceId),
          })
          const { fault } = await verify(parts.store, workspaceId)
          assert.deepEqual([fault?.kind, fault?.number], expected)
          if (fault?.entry) assert.equal(fault.entry.number, fault.number)
        }),
        { numRuns: runs(24) },
      ),
    )
})

test('a chain rewritten from its middle, including the head, is found by an entry that was noted before', async (t) => {
  const parts = await lab(t)
  await fc.assert(
    fc.asyncProperty(records, fc.nat(), async (given, i) => {
      const workspaceId = freshId()
      const entries = await write(parts.store, workspaceId, given)
      const from = i % entries.length
      const noted = entries[entries.length - 1] as StoredEntry
      const { set, setHead } = hand(parts, workspaceId)
      let previousHash = entries[from]?.previousHash ?? ''
      for (const entry of entries.slice(from)) {
        const anew = forged({ ...entry, actor: 'mallory', previousHash })
        await set(entry, { actor: anew.actor, previousHash, hash: anew.hash })
        previousHash = anew.hash
      }
      await setHead(`hash = ${literal(previousHash)}`)
      assert.equal((await verify(parts.store, workspaceId)).fault, null)
      const { fault } = await verify(parts.store, workspaceId, noted)
      assert.deepEqual([fault?.kind, fault?.number], ['changed', noted.number])
      const beyond = await verify(parts.store, workspaceId, { ...noted, number: noted.number + 1 })
      assert.deepEqual([beyond.fault?.kind, beyond.fault?.number], ['cut off', noted.number + 1])
    }),
    { numRuns: runs(24) },
  )
})

test('a chain whose beginning was removed by retention verifies from there on, and from nowhere else', async (t) => {
  const parts = await lab(t)
  await fc.assert(
    fc.asyncProperty(records, fc.nat(), async (given, i) => {
      const workspaceId = freshId()
      // All of them are old, but for those after the one where it ends.
      const end = (i % (given.length - 1)) + 1
      const aged = given.map((entry, at) => ({ ...entry, at: new Date(at < end ? 0 : Date.now()).toISOString() }))
      const entries = await write(parts.store, workspaceId, aged)
      const trimmed = entries[end - 1] as StoredEntry
      const { remove, setHead } = hand(parts, workspaceId)
      const pruned = (await pruneAudit(parts.store, Date.now() - DAY_MS)).find(
        (each) => each.workspaceId === workspaceId,
      )
      assert.deepEqual(pruned, { workspaceId, removed: end, through: end, fault: null })
      const { fault, prune, entries: count } = await verify(parts.store, workspaceId)
      assert.deepEqual([fault, count], [null, entries.length - end + 1])
      assert.deepEqual([prune?.through, prune?.hash], [trimmed.number, trimmed.hash])
      assert.equal((await verify(parts.store, workspaceId, trimmed)).fault, null)
      await write(parts.store, workspaceId, given)
      assert.equal((await verify(parts.store, workspaceId)).fault, null)

      // Moving the mark further, to remove more, leaves no entry that records it.
      const next = (await stored(parts.store, workspaceId))[0] as StoredEntry
      await setHead(`trimmed_number = ${next.number}, trimmed_hash = ${literal(next.hash)}`)
      assert.equal((await verify(parts.store, workspaceId)).fault?.kind, 'inserted')
      await remove(`number <= ${next.number}`)
      const cut = (await verify(parts.store, workspaceId)).fault
      assert.deepEqual([cut?.kind, cut?.number], ['missing', next.number])
      await setHead(`trimmed_number = ${trimmed.number}, trimmed_hash = ${literal(trimmed.hash)}`)
      assert.equal((await verify(parts.store, workspaceId)).fault?.kind, 'missing')
      await setHead(`trimmed_number = 0, trimmed_hash = ${literal('0'.repeat(64))}`)
      assert.equal((await verify(parts.store, workspaceId)).fault?.kind, 'missing')
    }),
    { numRuns: runs(16) },
  )
})

test('the database refuses to change or remove an entry, unless the chain was trimmed beyond it', async (t) => {
  const url = await migratedDatabaseUrl(t)
  const store = await openStore(t, url)
  const elsewhere = await connectElsewhere(url, t)
  const workspaceId = freshId()
  const at = '2026-11-15T12:00:00.000Z'
  const entry = { at, actor: 'a', action: 'b', subject: 'c', detail: {} }
  await write(store, workspaceId, [entry, entry, entry])
  const refusals = [
    `UPDATE audit SET actor = 'mallory'`,
    'UPDATE audit SET number = 9 WHERE number = 3',
    'DELETE FROM audit',
  ]
  if (engineUnderTest() === 'postgres') refusals.push('TRUNCATE audit')
  for (const sql of refusals) await assert.rejects(elsewhere.run(sql), /audit entries are never/, sql)
  await elsewhere.run(
    'UPDATE audit_heads SET trimmed_number = 1, trimmed_hash = (SELECT hash FROM audit WHERE number = 1)',
  )
  await assert.rejects(elsewhere.run('DELETE FROM audit WHERE number <= 2'), /audit entries are never/)
  await elsewhere.run('DELETE FROM audit WHERE number <= 1')
  const { fault, entries } = await verify(store, workspaceId)
  assert.deepEqual([fault?.kind, fault?.number, entries], ['missing', 1, 2], 'no entry records its removal')
})
