import type { TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { updateWorkspace } from '../support/changes.ts'
import { startOperator } from '../support/operator.ts'
import { waitUntil } from '../support/wait.ts'
import { type Violation, violationsIn } from './checker.ts'
import { record, registerTask, WAYS } from './clients.ts'
import { type Event, Recorder } from './history.ts'
import { oneOf } from './nemesis.ts'
import type { Server } from './servers.ts'

const CLIENTS = 8
/** However long the disturbance takes. */
const MAX_REQUESTS = 20_000
const QUOTA = { limit: 12, windowSeconds: 3 }

export interface Run {
  databaseUrl: string
  servers: readonly Server[]
  recorder: Recorder
  /** Disturbs the system; the history continues for at least as long, unless a violation ends it. */
  disturb(isOver: AbortSignal): Promise<void>
}

/** Clients read, an operator changes, creates and revokes, and the history of it all is checked. */
export async function runHistory(t: TestContext, { databaseUrl, servers, recorder, disturb }: Run) {
  const operator = await startOperator(t, databaseUrl)
  const set = async (register: 'tasks' | 'workspace', version: number) => {
    if (register === 'tasks') await operator.addTasks([registerTask(version)])
    else await updateWorkspace(operator.store, 'acme', { name: `version ${version}` }, 'test')
  }
  await set('tasks', 0)
  await set('workspace', 0)

  let isOver = false
  const keys: { name: string; token: string }[] = []
  /** Those revoked long ago, or not asked for again, are dropped. */
  const KEPT_KEYS = 6
  let created = 0
  async function createKey(quota: typeof QUOTA | null, name = `key ${++created}`) {
    const key = await recorder.after(
      () => operator.createKey(quota),
      () => ({ kind: 'creation', key: name }),
    )
    if (key !== undefined) keys.push({ name, token: key.token })
    return key
  }
  // The first two live as long as the history: one without a limit, one whose quota is always being used up.
  while ((await createKey(null, 'free')) === undefined) await delay(100)
  recorder.quotas.counted = QUOTA
  while ((await createKey(QUOTA, 'counted')) === undefined) await delay(100)

  async function write(register: 'tasks' | 'workspace') {
    for (let version = 1; !isOver; version++) {
      await recorder.during({ kind: 'write', register, value: version }, () => set(register, version))
      await delay(Math.random() * 150)
    }
  }

  async function revoke() {
    while (!isOver) {
      // Every other one is over its quota by the time that it is revoked.
      const key = await createKey(created % 2 === 0 ? null : { limit: 3, windowSeconds: 3600 })
      await delay(100 + Math.random() * 200)
      if (key !== undefined) {
        const name = `key ${created}`
        await recorder.during({ kind: 'revocation', key: name }, () => operator.keys.revoke(key.id))
      }
      if (keys.length > KEPT_KEYS) keys.splice(2, 1)
    }
  }

  async function use() {
    while (!isOver) {
      // Most with the key that always reads, many with the one that is counted: of the others most are refused.
      const roll = Math.random()
      const place = roll < 0.4 ? 0 : roll < 0.6 ? 1 : Math.floor(Math.random() * keys.length)
      const { name, token } = keys[place] as { name: string; token: string }
      const cutAfterMs = Math.random() < 0.02 ? Math.ceil(Math.random() * 20) : undefined
      await record(recorder, oneOf(servers), { way: oneOf(WAYS), key: token, name, cutAfterMs })
      await delay(Math.random() * 10)
    }
  }

  const history = { events: recorder.events, quotas: recorder.quotas }
  const count = (isCounted: (event: Event) => boolean) => history.events.filter(isCounted).length
  const isAcknowledged = ({ end }: Event) => end < Number.POSITIVE_INFINITY
  const counts = () => ({
    requests: count(({ kind }) => kind === 'request'),
    reads: count((event) => event.kind === 'request' && event.value !== undefined),
    writes: count((event) => event.kind === 'write' && isAcknowledged(event)),
    revocations: count((event) => event.kind === 'revocation' && isAcknowledged(event)),
    limited: count((event) => event.kind === 'request' && event.status === 429),
  })
  /** Less than this proves little. However slow the machine is, the history continues until it is this long. */
  const isTelling = () => {
    const { reads, writes, revocations, limited } = counts()
    return reads >= 150 && writes >= 20 && revocations >= 5 && limited >= 5
  }

  const work = [...Array.from({ length: CLIENTS }, use), write('tasks'), write('workspace'), revoke()]
  const over = new AbortController()
  let isDisturbed = false
  const disturbed = disturb(over.signal).then(() => {
    isDisturbed = true
  })
  // A client that fails, or a fault that cannot be made, is a fault of the test.
  const failed = Promise.all([...work, disturbed])
  let violations: Violation[] = []
  while (violations.length === 0 && counts().requests < MAX_REQUESTS && !(isDisturbed && isTelling())) {
    await Promise.race([delay(300), failed])
    violations = violationsIn(history)
  }
  isOver = true
  over.abort()
  await failed
  violations = violationsIn(history)
  if (violations.length === 0) await Promise.all(servers.map((server) => untilServed(server, keys[0]?.token ?? '')))
  t.diagnostic(`the history: ${JSON.stringify(counts())}`)
  return violations
}

/** Whatever was done to it, a server serves again by itself. */
const untilServed = (server: Server, key: string) =>
  waitUntil(async () => {
    const answered = await record(new Recorder(), server, { way: 'tasks', key, name: '' })
    return answered?.status === 200
  })

/** A violation with what is needed to understand it. */
export const inWords = (violations: readonly Violation[]): string =>
  violations
    .slice(0, 5)
    .map(({ rule, event, because }) => `${rule}\n  ${JSON.stringify(event)}\n  because of ${JSON.stringify(because)}`)
    .join('\n')
