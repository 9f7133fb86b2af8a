import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { saveNotices } from '../../src/notices/records.ts'
import { findWorkspace } from '../../src/workspaces/records.ts'
import { startReceiver } from '../support/notices.ts'
import { openStore } from '../support/operator.ts'
import { program } from '../support/program.ts'
import { waitUntil } from '../support/wait.ts'

test(`a server sends what waits, once, and stops while a receiver holds it up`, async (t) => {
  const receiver = await startReceiver(t)
  const vitrine = program(t, { WEBHOOK_PRIVATE: 'on' })
  vitrine.env.DATABASE_URL = `sqlite:${join(vitrine.folder, 'vitrine.db')}`
  await vitrine.ok('workspace', 'create', '--name', 'Acme', '--slug', 'acme')
  const store = await openStore(t, vitrine.env.DATABASE_URL)
  await store.transaction(async (tx) => {
    const now = new Date(tx.nowMs).toISOString()
    const id = (await findWorkspace(tx, 'acme'))?.id ?? ''
    await saveNotices(tx, id, { kinds: ['member'], webhookUrl: receiver.url, recipients: [] }, 'test')
    for (const message of ['one', 'two'])
      await tx.run(
        'INSERT INTO notice_deliveries (id, message_id, workspace_id, created_at, next_at) VALUES (?, ?, ?, ?, ?)',
        ...[message, message, id, now, message === 'one' ? now : '2999-01-01T00:00:00.000Z'],
      )
  })
  const server = await vitrine.start('serve')
  await waitUntil(async () => {
    const rows = await store.read((tx) => tx.all<{ state: string }>('SELECT state FROM notice_deliveries ORDER BY id'))
    return rows[0]?.state === 'sent'
  })
  assert.equal(receiver.received.length, 1)
  const exitCode = new Promise((resolve) => {
    receiver.respond = () => resolve(server.stop('SIGTERM'))
  })
  await store.transaction((tx) => tx.run("UPDATE notice_deliveries SET next_at = created_at WHERE id = 'two'"))
  assert.equal(await exitCode, 0)
  const [two] = await store.read((tx) =>
    tx.all<object>("SELECT state, attempts, reason FROM notice_deliveries WHERE id = 'two'"),
  )
  assert.deepEqual({ ...two }, { state: 'waiting', attempts: 1, reason: null }, 'it did not wait for the outcome')
  assert.doesNotMatch(server.output(), /notices could not/)
})
