import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { BoundedAnswers } from '../../src/resources/bounded-answers.ts'
import { ServedBody } from '../../src/resources/served-body.ts'

type Answers = BoundedAnswers<{ weight: number }>

/** Asks as the response cache does: what is missing is kept. True if it was there. */
function ask(answers: Answers, workspaceId: string, question: object | string, weight = 1000): boolean {
  const found = answers.find(workspaceId, question)
  if (found === undefined) answers.keep(workspaceId, question, { weight })
  else found.countUse()
  return found !== undefined
}

const isKept = (answers: Answers, workspaceId: string, question: object | string) =>
  answers.find(workspaceId, question) !== undefined

test('what fits the bound stays, and beyond it goes the oldest that was not asked for again', () => {
  const answers: Answers = new BoundedAnswers(14_100)
  const resource = {}
  const ids = Array.from({ length: 10 }, (_, i) => `w${i}`)
  for (const id of [...ids, 'w0', 'w1']) ask(answers, id, resource)
  assert.deepEqual(
    ids.filter((id) => !isKept(answers, id, resource)),
    [],
  )
  ask(answers, 'new', resource)
  assert.deepEqual(
    ids.filter((id) => !isKept(answers, id, resource)),
    ['w2'],
  )
})

test('a million different questions of one workspace push out no answer of another that was asked for twice', () => {
  const answers: Answers = new BoundedAnswers(100_000)
  for (const id of ['a', 'b', 'c', 'a', 'b', 'c']) ask(answers, id, 'used')
  ask(answers, 'd', 'asked once')
  for (let i = 0; i < 1_000_000; i++) answers.keep('hostile', `question ${i}`, { weight: 1000 })
  for (const id of ['a', 'b', 'c']) assert.ok(isKept(answers, id, 'used'))
  assert.ok(!isKept(answers, 'd', 'asked once'))
})

test('questions that are asked twice each push out no answer that goes on being asked for', () => {
  const answers: Answers = new BoundedAnswers(100_000)
  ask(answers, 'a', 'used')
  for (let i = 0; i < 100_000; i++) {
    ask(answers, 'hostile', `question ${i}`)
    ask(answers, 'hostile', `question ${i}`)
    if (i % 20 === 0) assert.ok(ask(answers, 'a', 'used'), `after ${i}`)
  }
})

test('answers that are no longer asked for make room, also those that were asked for often', () => {
  const answers: Answers = new BoundedAnswers(100_000)
  for (let i = 0; i < 60; i++) for (let times = 0; times < 3; times++) ask(answers, 'a', `old ${i}`)
  for (let i = 0; i < 60; i++) for (let times = 0; times < 3; times++) ask(answers, 'a', `new ${i}`)
  const kept = (age: string) =>
    Array.from({ length: 60 }, (_, i) => isKept(answers, 'a', `${age} ${i}`)).filter(Boolean)
  assert.equal(kept('new').length, 60)
  assert.ok(kept('old').length < 15)
})

test('an answer that takes more than a quarter, its question included, is not kept and pushes nothing out', () => {
  const answers: Answers = new BoundedAnswers(100_000)
  ask(answers, 'a', 'small')
  ask(answers, 'a', 'large', 25_000)
  ask(answers, 'a', 'long'.repeat(3000))
  assert.ok(isKept(answers, 'a', 'small'))
  assert.ok(!isKept(answers, 'a', 'large'))
  assert.ok(!isKept(answers, 'a', 'long'.repeat(3000)))
  ask(answers, 'a', 'just small enough', 24_000)
  assert.ok(isKept(answers, 'a', 'just small enough'))
})

test('an answer that is replaced counts once, with the weight that it has then', () => {
  const answers: Answers = new BoundedAnswers(100_000)
  ask(answers, 'a', 'small')
  for (let i = 0; i < 1000; i++) answers.keep('b', 'changing', { weight: i % 2 === 0 ? 100 : 20_000 })
  assert.ok(isKept(answers, 'a', 'small'))
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

for (const { what, bytes, questions, workspaces } of [
  { what: 'small answers of one workspace', bytes: 20, questions: 60_000, workspaces: 1 },
  { what: 'small answers of a workspace each', bytes: 20, questions: 60_000, workspaces: 60_000 },
  { what: 'answers of a hundred tasks', bytes: 30_000, questions: 2000, workspaces: 7 },
  { what: 'answers in need of escapes alone', bytes: -10_000, questions: 1500, workspaces: 7 },
])
  test(`the memory that answers really take stays within the bound: ${what}`, () => {
    const before = liveBytes()
    const answers = new BoundedAnswers<{ weight: number; body: ServedBody }>(16 * MIB)
    for (let i = 0; i < questions; i++) {
      const content = bytes < 0 ? '\\"'.repeat(-bytes / 2) : 'x'.repeat(bytes)
      const body = new ServedBody(Buffer.from(`{"tasks":["${content}"]}`))
      assert.ok(body.etag !== '' && body.embedded('{"content":[{"type":"text","text":', '}]}}').length > 0)
      // Small buffers share memory with others, which a kept one must not hold on to.
      for (let other = 0; other < 20; other++) Buffer.from('another, soon forgotten'.repeat(10))
      answers.keep(`ws_${i % workspaces}`, `tasks {"bookKey":"question ${i}"}`, { weight: body.weight, body })
    }
    const taken = liveBytes() - before
    const last = questions - 1
    assert.ok(answers.find(`ws_${last % workspaces}`, `tasks {"bookKey":"question ${last}"}`))
    assert.ok(taken < 16 * MIB, `${taken} bytes`)
    assert.ok(taken > 5 * MIB, `${taken} bytes: the bound is far from used`)
  })

test('nothing is left behind by workspaces whose answers went', () => {
  const answers = new BoundedAnswers<{ weight: number }>(50_000)
  const before = liveBytes()
  for (let i = 0; i < 200_000; i++) answers.keep(`ws_${i}`, 'question', { weight: 1000 })
  const taken = liveBytes() - before
  assert.ok(answers.find('ws_199999', 'question'))
  assert.ok(taken < 2 * MIB, `${taken} bytes`)
})
