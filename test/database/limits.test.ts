import assert from 'node:assert/strict'
import { test } from 'node:test'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import { createWorkspace } from '../support/changes.ts'
import { onEach } from '../support/database.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { startOperator } from '../support/operator.ts'
import { startService } from '../support/service.ts'

const NOW = '2026-11-15T12:00:00.000Z'
const taskLimits = Object.fromEntries(
  currentTasks.fields.flatMap(({ name, maxLength }) => (maxLength ? [[name, maxLength]] : [])),
)

test('every text of a task has the limit that the contract states', () => {
  const texts = currentTasks.fields.filter(({ kind }) => kind !== 'instant' && kind !== 'choice')
  assert.deepEqual(Object.fromEntries(texts.map(({ name, maxLength }) => [name, maxLength])), taskLimits)
  assert.deepEqual(taskLimits, {
    id: 200,
    title: 500,
    details: 10_000,
    bookKey: 200,
    assigneeName: 200,
    assigneeEmail: 320,
    sourceSessionId: 200,
    sourceTitle: 500,
    sourceSummary: 10_000,
    sourceKind: 100,
  })
})

onEach('a timezone must be an IANA name in its exact spelling', async (t, engine) => {
  const { store } = await startOperator(t, await migratedDatabaseUrl(t, engine))
  let n = 0
  const create = async (timezone: string) =>
    createWorkspace(store, { name: 'W', slug: `w${++n}`, timezone }, 'test', NOW)
  for (const name of ['Asia/Kolkata', 'Asia/Calcutta', 'US/Pacific', 'UTC', 'Etc/GMT+1', 'America/Coyhaique'])
    await create(name)
  for (const name of ['Mars/Olympus', 'us/pacific', 'asia/kolkata', '+01:00', ''])
    await assert.rejects(create(name), { name: 'InvalidValueError', message: /is not an IANA timezone|is spelled/ })
  await assert.rejects(create('asia/kolkata'), { message: 'the timezone "asia/kolkata" is spelled Asia/Kolkata' })
})

onEach('no /tasks response is larger than 13,191,211 bytes', async (t, engine) => {
  const service = await startService(t, { engine })
  // No character takes more bytes as JSON than one that is escaped by its number.
  const longest = Object.fromEntries(
    Object.entries(taskLimits).map(([field, limit]) => [
      field,
      field === 'assigneeEmail' ? `${'x'.repeat(limit - 2)}@y` : '\u0001'.repeat(limit),
    ]),
  )
  // A busy PostgreSQL may take longer to read a hundred of them than a statement is given.
  const [stored, served] = engine === 'sqlite' ? [101, 100] : [2, 2]
  const ids = Array.from({ length: stored }, (_, i) => String(i))
  await service.addTasks(ids.map((id) => ({ ...longest, id: id.padEnd(200, '\u0001'), dueAt: NOW })))
  const { byteLength } = await (await service.get('/tasks')).arrayBuffer()
  const largest = '{"tasks":[]}'.length + served * 131_911 + served - 1
  assert.equal(largest, engine === 'sqlite' ? 13_191_211 : 263_835)
  // The ids have to differ: they have digits in place of escapes.
  assert.equal(byteLength, largest - ids.slice(0, served).join('').length * 5)
})
