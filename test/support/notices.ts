import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import type { LeakPlace } from '../../src/database/usage/request-recorder.ts'
import type { CountedReason } from '../../src/keys/refusals.ts'
import { type NoticeChoices, noticeKinds, saveNotices } from '../../src/notices/records.ts'
import { type NoticeOptions, startNotices as startTimer } from '../../src/notices/timer.ts'
import { addMember } from './changes.ts'
import { listenUntilEnd } from './listen.ts'
import { startMailServer } from './mail-server.ts'
import { migratedDatabaseUrl } from './migrated-database.ts'
import { startOperator } from './operator.ts'

interface ReceivedWebhook {
  headers: IncomingMessage['headers']
  body: string
}

/** A real receiver of webhooks on the loopback interface. */
export async function startReceiver(t: TestContext) {
  const receiver = {
    url: '',
    received: [] as ReceivedWebhook[],
    respond: (response: ServerResponse): void => void response.writeHead(204).end(),
  }
  const server = createServer(async (request, response) => {
    receiver.received.push({ headers: request.headers, body: await text(request) })
    receiver.respond(response)
  })
  receiver.url = `http://127.0.0.1:${await listenUntilEnd(t, server)}/hook`
  return receiver
}

/** A workspace with an owner, whose notices go to a real mail server and a real receiver. */
export async function startNotices(t: TestContext) {
  const databaseUrl = await migratedDatabaseUrl(t)
  const stopFirst: (() => Promise<void>)[] = []
  // Registered last, they would run last, when the database is gone.
  t.after(() => Promise.all(stopFirst.map((stop) => stop())))
  const operator = await startOperator(t, databaseUrl)
  const { store, workspace } = operator
  const mail = await startMailServer(t)
  const receiver = await startReceiver(t)
  const add = (email: string, role = 'owner') =>
    addMember(store, 'acme', { email, role }, 'test', new Date().toISOString())
  await add('ada@acme.example')
  const choose = (choices: Partial<NoticeChoices> = {}) =>
    store.transaction((tx) => {
      const all = { kinds: noticeKinds, webhookUrl: receiver.url, recipients: ['ada@acme.example'] }
      return saveNotices(tx, workspace.id, { ...all, ...choices }, 'test')
    })
  const failures: unknown[] = []
  const run = (options: Partial<NoticeOptions> = {}) => {
    const timer = startTimer(store, {
      publicUrl: 'https://vitrine.example',
      mail: { smtpUrl: mail.url, from: 'Vitrine <vitrine@vitrine.example>' },
      webhook: { allowPrivate: true, timeoutMs: 60_000 },
      onFailure: (error) => failures.push(error),
      detectEveryMs: 10,
      deliverEveryMs: 10,
      ...options,
    })
    stopFirst.push(() => timer.stop())
    return timer
  }
  /** As the server records it; later than the choice of notices, which may be made in the same millisecond. */
  const soon = () => new Date(Date.now() + 1000).toISOString()
  const recordLeak = (keyId: string, place: LeakPlace, at = soon()) =>
    store.transaction((tx) => tx.run('UPDATE api_keys SET leaked_at = ?, leaked_in = ? WHERE id = ?', at, place, keyId))
  const recordRefusals = (keyId: string, why: CountedReason, count = 1, at = soon()) =>
    store.transaction(async (tx) => {
      await tx.run('UPDATE api_keys SET last_refused_at = ?, last_refusal = ? WHERE id = ?', at, why, keyId)
      const sum = 'INSERT INTO key_use (key_id, day, refused, count) VALUES (?, ?, ?, ?)'
      await tx.run(sum, keyId, at.slice(0, 10), why, count)
    })
  const startProcess = async () => {
    const program = join(import.meta.dirname, 'notice-process-main.ts')
    const child = spawn(process.execPath, [program, databaseUrl, mail.url], { stdio: ['ignore', 'pipe', 'inherit'] })
    const kill = async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    }
    stopFirst.push(kill)
    await once(child.stdout, 'data')
    return { kill }
  }
  const deliveries = () =>
    store.read(async (tx) => {
      const rows = await tx.all<{ recipient: string | null; state: string; attempts: number; reason: string | null }>(
        'SELECT recipient, state, attempts, reason FROM notice_deliveries ORDER BY created_at, recipient IS NULL, recipient',
      )
      return rows.map((row) => ({ ...row }))
    })
  /** As if the time until the next attempts had passed. */
  const hurry = () =>
    store.transaction((tx) => tx.run(`UPDATE notice_deliveries SET next_at = created_at WHERE state = 'waiting'`))
  return {
    ...operator,
    databaseUrl,
    mail,
    receiver,
    add,
    choose,
    run,
    recordLeak,
    recordRefusals,
    startProcess,
    deliveries,
    hurry,
    failures,
  }
}

export type Notices = Awaited<ReturnType<typeof startNotices>>

interface Payload {
  type: string
  timestamp: string
  data: {
    id: string
    workspace: object
    events: { id: string; kind: string; at: string; text: string; url?: string }[]
  }
  text: string
}

export const payloadOf = ({ body }: ReceivedWebhook): Payload => JSON.parse(body)
