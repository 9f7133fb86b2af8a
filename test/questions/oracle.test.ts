import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { engineUnderTest } from '../support/database.ts'
import { type EndpointName, endpoints } from '../support/tool-calls.ts'
import { startFrozenService } from './frozen-service.ts'
import { answer } from './oracle.ts'
import { budgets, questions } from './questions.ts'
import { type ScenarioName, scenarios, World } from './world.ts'

/** PostgreSQL repeats one path and one timezone: its queries see only instants. */
const isAgain = engineUnderTest() === 'postgres'
const names = (Object.keys(endpoints) as EndpointName[]).slice(isAgain ? -1 : 0)
const scenarioNames = (Object.keys(scenarios) as ScenarioName[]).slice(isAgain ? -1 : 0)

test('no question is asked twice', () => assert.equal(new Set(questions.map(({ ask }) => ask)).size, questions.length))

for (const scenario of scenarioNames)
  suite(scenario, () => {
    test('the first page never reaches today, no list is empty or longer than ten, and no other value is empty', () => {
      const world = new World(scenarios[scenario])
      assert.ok(world.tasks.length > 300)
      assert.ok(world.current()[100] !== undefined && world.current().slice(0, 101).every(world.isOverdue))
      for (const { ask, form, right } of questions) {
        const value = right(world)
        const length = form === 'ids' ? (value as string[]).length : 1
        assert.ok(length > 0 && length <= 10 && value !== 0 && value !== null, `${ask} ${value}`)
      }
    })

    test('every question is answered in at most two calls, within its budget', async (t) => {
      const server = await startFrozenService(t, scenario)
      for (const endpoint of names)
        await t.test(endpoint, async (t) => {
          for (const question of questions)
            await t.test(question.ask, async () => {
              const right = question.right(server.world)
              const { calls, tokens, fromText, fromStructured = fromText } = await answer(server, endpoint, question)
              assert.deepEqual(fromText, right)
              assert.deepEqual(fromStructured, right)
              assert.ok(calls.length <= 2)
              assert.ok(tokens < budgets[question.budget], `${tokens} tokens`)
              if (question.form !== 'ids' || question.next !== undefined) return
              // Nor does it cost too much to ask for all fields.
              const { fields: _, ...args } = question.args
              const whole = await answer(server, endpoint, { ...question, args })
              assert.ok(whole.tokens < budgets.list, `${whole.tokens} tokens`)
            })
        })
    })
  })
