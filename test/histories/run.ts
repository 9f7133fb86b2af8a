import { Agent } from 'node:http'
import type { TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { updateWorkspace } from '../support/changes.ts'
import { startOperator } from '../support/operator.ts'
import { type Violation, violationsIn } from './checker.ts'
import { ask, record, registerTask, type Way } from './clients.ts'
import type { Recorder } from './history.ts'
import type { Server } from './servers.ts'

const CLIENTS = 8
/** However long the disturbance takes. */
const MAX_REQUESTS = 20_000
const QUOTA = { limit: 12, windowSeconds: 3 }
const WAYS: Way[] = ['tasks', 'workspace', 'tool', 'question', 'page']

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
    let agent = new Agent({ keepAlive: true, maxSockets: 4 })
    while (!isOver) {
      const server = servers[Math.floor(Math.random() * servers.length)] as Server
      // Most with the key that always reads, many with the one that is counted: of the others most are refused.
      const roll = Math.random()
      const place = roll < 0.4 ? 0 : roll < 0.6 ? 1 : Math.floor(Math.random() * keys.length)
      const { name, token } = keys[place] as { name: string; token: string }
      const way = WAYS[Math.floor(Math.random() * WAYS.length)] as Way
      const cutAfterMs = Math.random() < 0.02 ? Math.random() * 20 : undefined
      const answered = await record(recorder, agent, server, { way, key: token, name, cutAfterMs })
      if (answered === undefined) {
        agent.destroy()
        agent = new Agent({ keepAlive: true, maxSockets: 4 })
        await delay(20)
      } else await delay(Math.random() * 10)
    }
    agent.destroy()
  }

  const history = { events: recorder.events, quotas: recorder.quotas }
  const counts = () => ({
    requests: history.events.filter(({ kind }) => kind === 'request').length,
    reads: history.events.filter((event) => event.kind === 'request' && event.value !== undefined).length,
    writes: history.events.filter((event) => event.kind === 'write' && event.end < Number.POSITIVE_INFINITY).length,
    revocations: history.events.filter((event) => event.kind === 'revocation' && event.end < Number.POSITIVE_INFINITY)
      .length,
    limited: history.events.filter((event) => event.kind === 'request' && event.status === 429).length,
  })
  /** Less than this proves little. However slow the machine is, the history continues until it is this long. */
  const isTelling = () => {
    const { reads, writes, revocations, limited } = counts()
    return reads >= 150 && writes >= 20 && revocations >= 5 && limited >= 5
  }

  const work = [...Array.from({ length: CLIENTS }, use), write('tasks'), write('workspace'), revoke()]
  const failed = Promise.race(work).then(() => {})
  const over = new AbortController()
  const disturbed = disturb(over.signal)
  let violations: Violation[] = []
  let isDisturbed = false
  const undisturbed = disturbed.then(() => {
    isDisturbed = true
    return new Promise<never>(() => {})
  })
  while (violations.length === 0 && counts().requests < MAX_REQUESTS && !(isDisturbed && isTelling())) {
    await Promise.race([delay(300), failed, undisturbed])
    violations = violationsIn(history)
  }
  isOver = true
  over.abort()
  await Promise.all([...work, disturbed])
  violations = violationsIn(history)
  if (violations.length === 0) await Promise.all(servers.map((server) => untilServed(server, keys[0]?.token ?? '')))
  t.diagnostic(`the history: ${JSON.stringify(counts())}`)
  return violations
}

/** Whatever was done to it, a server serves again by itself. */
async function untilServed(server: Server, key: string): Promise<void> {
  const agent = new Agent()
  for (let tries = 0; ; tries++) {
    const answered = await ask(agent, server.url ?? '', { path: '/tasks', key }).catch(() => undefined)
    if (answered?.status === 200) return
    if (tries === 200) throw new Error(`a server does not serve again: ${answered?.status} ${answered?.text}`)
    await delay(100)
  }
}

/** A violation with what is needed to understand it. */
export const inWords = (violations: readonly Violation[]): string =>
  violations
    .slice(0, 5)
    .map(({ rule, event, because }) => `${rule}\n  ${JSON.stringify(event)}\n  because of ${JSON.stringify(because)}`)
    .join('\n')
