import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { BoundedCache } from '../../src/resources/bounded-cache.ts'
import { ServedBody } from '../../src/resources/response-cache.ts'

type Responses = BoundedCache<{ weight: number }>

/** Requests as the response cache does: misses are stored. True for a hit. */
function ask(responses: Responses, workspaceId: string, key: string, weight = 1000, revision = 1): boolean {
  const found = responses.find(workspaceId, revision, key)
  if (found === undefined) responses.set(workspaceId, revision, key, { weight })
  return found !== undefined
}

const isCached = (responses: Responses, workspaceId: string, key: string) =>
  responses.find(workspaceId, 1, key) !== undefined

/** Responses of 100 KB, of which this many fit into memory. */
const FITTING = 500
const WEIGHT = 100_000
/** What is stored besides each response. */
const ENTRY = 400

/** The share of requests, after a fifth of them, that find their response; the pattern returns the workspace of each. */
function hitRatio(pattern: readonly number[], responses: Responses = new BoundedCache(FITTING * (WEIGHT + ENTRY))) {
  const warmUp = Math.floor(pattern.length / 5)
  const hits = pattern.map((id) => ask(responses, `w${id}`, 'tasks', WEIGHT)).slice(warmUp)
  return hits.filter(Boolean).length / hits.length
}

const sequence = (length: number) => Array.from({ length }, (_, i) => i)
const inTurn = (count: number, rounds = 40) => sequence(count * rounds).map((i) => i % count)

/** The same numbers in every run, from 0 to 1. */
function numbers(seed = 1): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return state / 0x80000000
  }
}

function shuffledRounds(count: number, rounds: number): number[] {
  const random = numbers()
  const order = () =>
    sequence(count)
      .map((id) => ({ id, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ id }) => id)
  return sequence(rounds).flatMap(order)
}

/** Where the first of sorted numbers is that is not smaller. */
function firstFrom(sorted: readonly number[], value: number): number {
  let [from, to] = [0, sorted.length - 1]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((sorted[middle] as number) >= value) to = middle
    else from = middle + 1
  }
  return from
}

/** By Zipf's law, and what share would hit if the most popular ones were cached and nothing else. */
function zipf(count: number, exponent: number, length: number): { pattern: number[]; best: number } {
  const random = numbers()
  let sum = 0
  const sums = sequence(count).map((rank) => (sum += 1 / (rank + 1) ** exponent))
  const pattern = sequence(length).map(() => firstFrom(sums, random() * sum))
  return { pattern, best: (sums[FITTING - 1] as number) / sum }
}

for (const times of [0.7, 0.9, 1.1, 1.4, 2, 3, 10])
  test(`of callers that take turns, those whose responses fit find them: ${times} times the capacity`, () => {
    const ratio = hitRatio(inTurn(FITTING * times))
    assert.ok(ratio > Math.min(1, 1 / times) * 0.93, `${ratio}`)
  })

for (const times of [1.4, 3])
  test(`the same with callers in another order each round: ${times} times the capacity`, () => {
    const ratio = hitRatio(shuffledRounds(FITTING * times, 40))
    assert.ok(ratio > 0.9 / times, `${ratio}`)
  })

for (const repeats of [2, 4])
  test(`the same with callers that ask ${repeats} times each, and the repeats hit too`, () => {
    const pattern = inTurn(FITTING * 1.4).flatMap((id) => Array<number>(repeats).fill(id))
    const best = 1 - (1 - 1 / 1.4) / repeats
    const ratio = hitRatio(pattern)
    assert.ok(ratio > best * 0.95, `${ratio} of ${best}`)
  })

test('the same with responses of different sizes', () => {
  const weights = [2000, 30_000, 100_000, 268_000]
  const responses: Responses = new BoundedCache(FITTING * (WEIGHT + ENTRY))
  const hits = inTurn(FITTING * 1.4).map((id) => ask(responses, `w${id}`, 'tasks', weights[id % 4]))
  const ratio = hits.slice(hits.length / 5).filter(Boolean).length / (hits.length * 0.8)
  assert.ok(ratio > 0.66, `${ratio}`)
})

for (const exponent of [0.7, 0.9, 1.1])
  test(`with few frequent callers, by Zipf's law with ${exponent}, nearly as many hit as possible`, () => {
    const { pattern, best } = zipf(FITTING * 10, exponent, FITTING * 60)
    const ratio = hitRatio(pattern)
    assert.ok(ratio > best * 0.83, `${ratio} of ${best}`)
  })

test('one-time callers displace nothing of returning ones', () => {
  const random = numbers()
  const pattern = sequence(FITTING * 60).map((i) =>
    random() < 0.7 ? Math.floor(random() * FITTING * 0.8) : 10_000 + i,
  )
  const ratio = hitRatio(pattern)
  assert.ok(ratio > 0.7 * 0.95, `${ratio}`)
})

for (const times of [0.8, 1.4])
  test(`when all callers are replaced at once, the new ones soon find their responses: ${times} times the capacity`, () => {
    const responses: Responses = new BoundedCache(FITTING * (WEIGHT + ENTRY))
    for (let shift = 0; shift < 4; shift++) {
      const round = inTurn(FITTING * times, 1).map((id) => id + shift * 10_000)
      for (let rounds = 0; rounds < 8; rounds++) for (const id of round) ask(responses, `w${id}`, 'tasks', WEIGHT)
      const hits = round.filter((id) => ask(responses, `w${id}`, 'tasks', WEIGHT)).length / round.length
      assert.ok(hits > Math.min(1, 1 / times) * 0.9, `${hits} after shift ${shift}`)
    }
  })

test('shifting callers find their responses in the end, though too many came between to remember them', () => {
  const responses: Responses = new BoundedCache(2_000_000)
  const round = (from: number) => sequence(1200).filter((id) => ask(responses, `w${from + id}`, 'q', 1000)).length
  for (let rounds = 0; rounds < 10; rounds++) round(0)
  for (let rounds = 0; rounds < 60; rounds++) round(10_000)
  assert.ok(round(10_000) > 1000, `${round(10_000)}`)
})

test('what fits within the limit stays', () => {
  const responses: Responses = new BoundedCache(15_000)
  const ids = sequence(10).map((i) => `w${i}`)
  for (const id of ids) ask(responses, id, 'tasks')
  assert.deepEqual(
    ids.filter((id) => !isCached(responses, id, 'tasks')),
    [],
  )
})

test('a hundred thousand different requests of one workspace displace no response of another that was requested twice', () => {
  const responses: Responses = new BoundedCache(100_000)
  for (const id of ['a', 'b', 'c', 'a', 'b', 'c']) ask(responses, id, 'used')
  for (let i = 0; i < 100_000; i++) {
    if (i % 100 === 0) for (const id of ['a', 'b', 'c']) assert.ok(ask(responses, id, 'used'))
    ask(responses, 'hostile', `key ${i}`)
  }
})

test('requests that come twice each displace no response that is still requested', () => {
  const responses: Responses = new BoundedCache(100_000)
  ask(responses, 'a', 'used')
  for (let i = 0; i < 20_000; i++) {
    ask(responses, 'hostile', `key ${i}`)
    ask(responses, 'hostile', `key ${i}`)
    if (i % 20 === 0) assert.ok(ask(responses, 'a', 'used'), `after ${i}`)
  }
})

test('responses of an old revision are evicted before any other', () => {
  const responses: Responses = new BoundedCache(1_000_000)
  for (let times = 0; times < 5; times++) for (let i = 0; i < 600; i++) ask(responses, 'changing', `key ${i}`)
  const { current: before } = responses.bytes
  ask(responses, 'changing', 'key 0', 1000, 2)
  assert.ok(responses.bytes.current < before / 2, 'the memory is free at once')
  for (let i = 0; i < 400; i++) ask(responses, `w${i}`, 'new')
  assert.equal(sequence(400).filter((i) => isCached(responses, `w${i}`, 'new')).length, 400)
})

test('a response that takes more than a quarter, including its key, is not stored and displaces nothing', () => {
  const responses: Responses = new BoundedCache(100_000)
  ask(responses, 'a', 'small')
  ask(responses, 'a', 'large', 25_000)
  ask(responses, 'a', 'long'.repeat(3000))
  assert.ok(isCached(responses, 'a', 'small'))
  assert.ok(!isCached(responses, 'a', 'large'))
  assert.ok(!isCached(responses, 'a', 'long'.repeat(3000)))
  ask(responses, 'a', 'just small enough', 24_000)
  assert.ok(isCached(responses, 'a', 'just small enough'))
  responses.set('a', 1, 'just small enough', { weight: 25_000 })
  assert.ok(!isCached(responses, 'a', 'just small enough'), 'what it replaces goes')
})

test('a replaced response counts once, with its current weight', () => {
  const responses: Responses = new BoundedCache(100_000)
  ask(responses, 'a', 'small')
  for (let i = 0; i < 1000; i++) responses.set('b', 1, 'changing', { weight: i % 2 === 0 ? 100 : 20_000 })
  assert.ok(isCached(responses, 'a', 'small'))
  assert.equal(responses.bytes.current, 1000 + 20_000 + 2 * (ENTRY + 2 * 5) + 2 * 3)
})

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** What the first collection frees of buffers is counted by the second. */
function liveBytes(): number {
  collectGarbage()
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const MIB = 1024 * 1024

for (const { what, bytes, keys, workspaces } of [
  { what: 'small answers of one workspace', bytes: 20, keys: 60_000, workspaces: 1 },
  { what: 'small answers of a workspace each', bytes: 20, keys: 60_000, workspaces: 60_000 },
  { what: 'answers of a hundred tasks', bytes: 30_000, keys: 2000, workspaces: 7 },
])
  test(`the memory that responses really take stays within the limit: ${what}`, () => {
    const before = liveBytes()
    const responses = new BoundedCache<{ weight: number; body: ServedBody }>(16 * MIB)
    for (let i = 0; i < keys; i++) {
      const body = new ServedBody(Buffer.from(`{"tasks":["${'x'.repeat(bytes)}"]}`), Number.POSITIVE_INFINITY)
      assert.ok(body.etag !== '')
      // Small buffers share memory with others, which a cached one must not hold on to.
      for (let other = 0; other < 5; other++) Buffer.from('another, soon forgotten'.repeat(10))
      responses.set(`ws_${i % workspaces}`, 1, `tasks {"bookKey":"key ${i}"}`, { weight: body.weight, body })
    }
    const taken = liveBytes() - before
    assert.ok(responses.find('ws_0', 1, 'tasks {"bookKey":"key 0"}'))
    assert.ok(taken < 16 * MIB, `${taken} bytes`)
    assert.ok(taken > 5 * MIB, `${taken} bytes: the bound is far from used`)
  })

test('the memory does not grow with the number of values ever stored, once the cache was full', () => {
  const responses = new BoundedCache<{ weight: number }>(2 * MIB)
  const store = (count: number, workspaces: number, revision: (i: number) => number) => {
    for (let i = 0; i < count; i++) responses.set(`ws_${i % workspaces}`, revision(i), 'key', { weight: 100 })
  }
  store(20_000, 20_000, () => 1)
  // From here on nothing is evicted: revisions move, and what they replace goes by itself.
  store(20_000, 1000, (i) => i)
  const before = liveBytes()
  store(300_000, 1000, (i) => i)
  const grown = liveBytes() - before
  assert.ok(grown < MIB, `${grown} bytes more after 300,000 values`)
})

test('nothing is left behind by workspaces whose responses were evicted', () => {
  const responses = new BoundedCache<{ weight: number }>(50_000)
  const before = liveBytes()
  for (let i = 0; i < 40_000; i++) responses.set(`ws_${i}`, 1, 'key', { weight: 1000 })
  const taken = liveBytes() - before
  assert.ok(responses.find('ws_0', 1, 'key'))
  assert.ok(taken < 2 * MIB, `${taken} bytes`)
})
