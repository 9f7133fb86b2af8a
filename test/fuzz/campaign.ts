import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import type { TestContext } from 'node:test'
import fc from 'fast-check'
import { loadContract } from '../support/conform.ts'
import { connectElsewhere, type Engine } from '../support/database.ts'
import { exchange } from '../support/exchange.ts'
import { apiRequest, IDLE_NAMES, strayRequest } from './api-requests.ts'
import { mutatedRequest, oldRequest, oversizeRequest, refusedRequest } from './broken-requests.ts'
import { brokenBodyRequest, mcpRequest, oddIdRequest } from './mcp-requests.ts'
import { modernRequest } from './modern-requests.ts'
import { findViolation, type Oracle } from './oracle.ts'
import { type Conversation, type Sent, shown, toCommand, wire } from './requests.ts'
import { sendConversation } from './send-conversation.ts'
import { settingsRequest } from './settings-requests.ts'
import { startTarget, type Target } from './target.ts'

/** What a server may hold more of after a campaign than before: caches, and what the engine compiled meanwhile. */
const HEAP_SLACK_BYTES = 48 * 1024 * 1024

/** A failure that takes long to show is reported before it is as small as it could be. */
const SHRINK_MS = 60_000

const conversations = (target: Target): fc.Arbitrary<Conversation> => {
  const wellFormed = fc.oneof(
    { weight: 6, arbitrary: apiRequest(target) },
    { weight: 6, arbitrary: mcpRequest(target) },
    { weight: 6, arbitrary: modernRequest(target) },
    { weight: 2, arbitrary: brokenBodyRequest(target) },
    { weight: 2, arbitrary: strayRequest(target) },
  )
  const alone = fc.oneof(
    { weight: 5, arbitrary: settingsRequest(target) },
    { weight: 5, arbitrary: mutatedRequest(target) },
    { weight: 2, arbitrary: refusedRequest(target) },
    { weight: 1, arbitrary: oldRequest(target) },
    { weight: 1, arbitrary: oversizeRequest() },
    { weight: 1, arbitrary: oddIdRequest(target) },
  )
  const plain = fc.constant<Sent>({ bytes: wire('GET', '/healthz', [['Host', 'x']]), method: 'GET', path: '/healthz' })
  const last = fc.oneof(refusedRequest(target), mutatedRequest(target))
  const behind = (first: fc.Arbitrary<Sent[]>) => fc.tuple(first, last).map(([sent, one]) => [...sent, one])
  const requests: fc.Arbitrary<Sent[]> = fc.oneof(
    { weight: 6, arbitrary: fc.array(wellFormed, { minLength: 1, maxLength: 5 }) },
    { weight: 5, arbitrary: fc.tuple(alone) },
    { weight: 1, arbitrary: behind(fc.array(wellFormed, { minLength: 1, maxLength: 3 })) },
    // More than a connection's pending requests: some of them wait.
    { weight: 1, arbitrary: behind(fc.array(plain, { minLength: 14, maxLength: 20 })) },
  )
  return fc
    .record({
      requests,
      cuts: fc.oneof(
        { weight: 3, arbitrary: fc.constant([]) },
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 5 }),
      ),
      resets: fc.oneof({ weight: 15, arbitrary: fc.constant(false) }, fc.constant(true)),
    })
    .map(shown)
}

interface Campaign {
  engine: Engine
  /** Requests, about: a conversation has one to some twenty. */
  requests: number
  seed: number
  /** On a busy machine, it ends after this time and reports how many requests there were. */
  maxMs: number
}

/** Sends hostile requests to a server in its own process, and checks every response against the contract. */
export async function runCampaign(t: TestContext, { engine, requests, seed, maxMs }: Campaign): Promise<void> {
  const target = await startTarget(t, engine)
  const folder = engine === 'sqlite' ? [target.databaseUrl.replace('sqlite:', '').replace(/\/[^/]*$/, '')] : []
  const tokens = Object.values(target.keys)
  const oracle: Oracle = {
    conform: await loadContract(target.url),
    secrets: [...tokens, ...folder, target.databaseUrl],
  }
  let sent = 0
  const statuses: Record<number, number> = {}
  const check = async (conversation: Conversation) => {
    const transcript = await Promise.race([sendConversation(target.url, conversation), target.died])
    sent += conversation.requests.length
    for (const { status } of transcript.responses) statuses[status] = (statuses[status] ?? 0) + 1
    const violation = findViolation(oracle, conversation, transcript)
    if (violation === undefined) return
    const bytes = Buffer.concat(conversation.requests.map((request) => request.bytes))
    throw new Error(`${violation}\nsent by: ${toCommand(bytes, target.url)}`)
  }

  // Several at a time: a server that mixes them up is found too, and the waits of slow ones overlap.
  const several = fc.array(conversations(target), { minLength: 1, maxLength: 12, size: 'max' })
  const property = fc.asyncProperty(several, async (batch) => {
    const outcomes = await Promise.allSettled(batch.map(check))
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  })
  await fc.assert(property, { numRuns: 20, seed, interruptAfterTimeLimit: SHRINK_MS })
  const before = await target.measure()
  const deadline = performance.now() + maxMs
  while (sent < requests && performance.now() < deadline) {
    // In parts, so that a server that has died is noticed where it happened.
    await fc.assert(property, { numRuns: 50, seed: seed + sent, interruptAfterTimeLimit: SHRINK_MS })
    assert.equal((await target.measure()).pid, before.pid)
  }
  t.diagnostic(`seed ${seed}: ${sent} requests, answered ${JSON.stringify(statuses)}`)

  assert.equal((await exchange(target.url, '/healthz', { headers: { connection: 'close' } })).status, 200)
  let after = await target.measure()
  for (let tries = 0; after.connections > 0 && tries < 600; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    after = await target.measure()
  }
  t.diagnostic(`heap ${before.heap} bytes before, ${after.heap} after; connections left open: ${after.connections}`)
  assert.equal(after.connections, 0, 'connections that were left open')
  assert.ok(after.heap < before.heap + HEAP_SLACK_BYTES, `the heap grew from ${before.heap} to ${after.heap} bytes`)

  await putKeysEverywhere(target)
  assertUnspoken(await target.stop(), tokens, 'log')
  assertUnspoken(await (engine === 'sqlite' ? fileOf(target) : rowsOf(target)), tokens, 'database')
}

/** All bytes, those of deleted rows too. */
function fileOf({ databaseUrl }: Target): string {
  const file = databaseUrl.replace('sqlite:', '')
  const files = [file, `${file}-wal`].filter((name) => existsSync(name))
  return files.map((name) => readFileSync(name, 'latin1')).join('')
}

async function rowsOf({ databaseUrl }: Target): Promise<string> {
  const database = await connectElsewhere(databaseUrl)
  const tables = await database.all<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'vitrine'`,
  )
  assert.ok(tables.length > 0)
  let text = ''
  for (const { name } of tables)
    for (const row of await database.all<{ row: string }>(`SELECT t::text AS row FROM "${name}" AS t`)) text += row.row
  await database.close()
  return text
}

/** Only the last user of a key is stored, so these requests come last. */
async function putKeysEverywhere({ url, keys }: Target): Promise<void> {
  const { full } = keys
  const encoded = [...full].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('')
  for (const value of [encoded, `x ${full}`, full.slice(4), `${full}/1.0`, full])
    for (const key of Object.values(keys)) {
      const headers = Object.fromEntries(IDLE_NAMES.map((name) => [name, value]))
      const sent = { ...headers, authorization: `Bearer ${key}`, connection: 'close' }
      await exchange(url, `/workspace?key=${encodeURIComponent(value)}`, { headers: sent })
    }
}

/** No part of a key beyond what is shown of it, however it is encoded. */
function assertUnspoken(written: string, tokens: readonly string[], place: 'log' | 'database'): void {
  let text = written
  for (let round = 0; round < 3; round++)
    text = text.replace(/%([0-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  for (const token of tokens) {
    const at = text.indexOf(token.slice(14, 30))
    const before = text.slice(Math.max(0, at - 200), at).replace(/[^\x20-\x7e]+/g, '·')
    assert.equal(at, -1, `a part of a key is in the ${place}, after: ${before}`)
  }
}
