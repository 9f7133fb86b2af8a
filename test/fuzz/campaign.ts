import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import fc from 'fast-check'
import { loadContract } from '../support/conform.ts'
import type { Engine } from '../support/database.ts'
import { exchange } from '../support/exchange.ts'
import { apiRequest, strayRequest } from './api-requests.ts'
import { mutatedRequest, refusedRequest } from './broken-requests.ts'
import { findViolation, type Oracle } from './oracle.ts'
import { type Conversation, type Sent, shown, toCommand, wire } from './requests.ts'
import { brokenBodyRequest, rpcRequest } from './rpc-requests.ts'
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
    { weight: 12, arbitrary: rpcRequest(target) },
    { weight: 2, arbitrary: brokenBodyRequest(target) },
    { weight: 2, arbitrary: strayRequest(target) },
  )
  const alone = fc.oneof(
    { weight: 5, arbitrary: settingsRequest(target) },
    { weight: 5, arbitrary: mutatedRequest(target) },
    { weight: 2, arbitrary: refusedRequest(target) },
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

  const log = await target.stop()
  for (const token of tokens) assert.ok(!log.includes(token.slice(14, 30)), 'a part of a key is in the log')
}
