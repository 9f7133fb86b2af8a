// On both engines: tokens are taken over in concurrent transactions.
/** Any sequence of refreshes, replays, pauses and waits, against a second implementation of the rules. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { OAuthError } from '../../src/connections/oauth-error.ts'
import { ReuseError } from '../../src/connections/tokens.ts'
import { openPublicStore, parseDatabaseUrl } from '../../src/database/open.ts'
import { hashToken } from '../../src/lib/key-format.ts'
import { resources } from '../../src/resources/index.ts'
import { runs } from '../support/database.ts'
import { startConnecting } from './connector.ts'

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000]

interface Pair {
  access: string
  refresh: string
  issuedAt: number
  replacedAt?: number
  next?: Pair
}

type Outcome = 'unknown' | 'ended' | 'reused' | 'paused' | 'granted'
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never

const action = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('refresh' as const), back: fc.nat(3) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.constantFrom(1, 1000, MINUTE - 1, MINUTE, MINUTE + 1, HOUR - 1, HOUR, 15 * DAY, 30 * DAY - 1),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('pause' as const, 'resume' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('revoke' as const, 'revoke by token' as const) }) },
)
/** One sequence that has every outcome: a few random ones may miss some. */
const everyOutcome: Action[] = [
  { kind: 'pause' },
  { kind: 'refresh', back: 0 },
  { kind: 'resume' },
  { kind: 'refresh', back: 0 },
  { kind: 'wait', ms: MINUTE + 1 },
  { kind: 'refresh', back: 1 },
  { kind: 'refresh', back: 0 },
  { kind: 'wait', ms: 30 * DAY - 1 },
  { kind: 'refresh', back: 0 },
]

test('every sequence of refreshes, replays, pauses and waits follows the rules', async (t) => {
  const { url, connect, refresh, revoke, keys, time, keyOf, reuses } = await startConnecting(t)
  const clock = () => time.now
  const served = await openPublicStore(parseDatabaseUrl(url), resources, {
    defaultQuota: { limit: 1e6, windowSeconds: 60 },
    clock,
    onUseFailure: (error) => assert.fail(String(error)),
  })
  t.after(() => served.close())
  const seen = new Set<Outcome>()

  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 20 }), async (actions) => {
      const { key, response } = await connect()
      const toPair = ({ access_token, refresh_token }: typeof response): Pair => ({
        ...{ access: access_token, refresh: refresh_token, issuedAt: time.now },
      })
      const pairs = [toPair(response)]
      let [isPaused, isRevoked, wasReused] = [false, false, false]

      const expected = (pair: Pair): Outcome => {
        if (time.now >= pair.issuedAt + 30 * DAY) return 'unknown'
        if (isRevoked) return 'ended'
        if (pair.replacedAt !== undefined && time.now - pair.replacedAt > MINUTE) return 'reused'
        return isPaused ? 'paused' : 'granted'
      }

      for (const step of actions) {
        if (step.kind === 'wait') time.now += step.ms
        else if (step.kind === 'refresh') {
          const pair = pairs.at(-1 - Math.min(step.back, pairs.length - 1)) as Pair
          const outcome = expected(pair)
          const result = await refresh(pair.refresh)
          seen.add(outcome)
          if (outcome !== 'granted') {
            assert.ok(result instanceof OAuthError, outcome)
            assert.equal(result instanceof ReuseError, outcome === 'reused')
            assert.match(
              result.message,
              { unknown: /is unknown/, ended: /was revoked, or has/, reused: /used before/, paused: /is paused/ }[
                outcome
              ],
            )
            if (outcome === 'reused') isRevoked = wasReused = true
            continue
          }
          assert.ok(!(result instanceof OAuthError), outcome)
          const { access_token: access, refresh_token: renewed, expires_in } = result.response
          if (pair.next === undefined) {
            pair.next = toPair(result.response)
            pair.replacedAt = time.now
            pairs.push(pair.next)
          }
          assert.deepEqual([access, renewed], [pair.next.access, pair.next.refresh])
          assert.equal(expires_in, Math.floor((pair.next.issuedAt + HOUR - time.now) / 1000))
        } else if (step.kind === 'revoke by token') {
          const live = time.now < (pairs.at(-1)?.issuedAt ?? 0) + 30 * DAY
          const revoked = await revoke(pairs.at(-1)?.refresh ?? '')
          assert.equal(revoked?.id, live && !isRevoked ? key.id : undefined)
          isRevoked ||= live
        } else if (!isRevoked && (step.kind === 'revoke' || isPaused === (step.kind === 'resume'))) {
          await keys[step.kind](key.id)
          isRevoked = step.kind === 'revoke'
          isPaused = step.kind === 'pause'
        }
      }

      assert.equal((await keyOf(key.id))?.revokedAt !== null, isRevoked)
      assert.equal((await reuses()).filter(({ keyId }) => keyId === key.id).length, wasReused ? 1 : 0)
      for (const { access, refresh: renewed, issuedAt } of pairs) {
        const isLive = !isRevoked && !isPaused && time.now < issuedAt + HOUR
        const admitted = await served.admit(hashToken(access))
        const isAdmitted = admitted !== undefined && !('reason' in admitted)
        assert.equal(isAdmitted ? admitted.keyId : undefined, isLive ? key.id : undefined)
        assert.equal(await served.admit(hashToken(renewed)), undefined)
      }
    }),
    { numRuns: runs(120), examples: [[everyOutcome]] },
  )
  assert.deepEqual([...seen].sort(), ['ended', 'granted', 'paused', 'reused', 'unknown'])
})
