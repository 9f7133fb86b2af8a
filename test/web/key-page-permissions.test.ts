import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resources } from '../../src/resources/index.ts'
import { exposedText, permissionWords } from '../../src/web/keys/permissions.ts'
import { books } from '../resources/books/contract.ts'

test('a permission says what it answers and each field that it exposes, in words', () => {
  const [workspace, tasks] = permissionWords(resources)
  assert.deepEqual([workspace?.name, tasks?.name], ['workspace:read', 'tasks:read'])
  assert.equal(tasks?.meaning, 'List current tasks')
  assert.equal(
    tasks?.responses,
    "Returns the workspace's current tasks, at most 100: those that are open and not snoozed into the future.",
  )
  assert.equal(
    tasks && exposedText(tasks),
    'Of each task: id, title, details, due at, book key, assignee name, assignee email, source session id, source title, source summary, source kind.',
  )
  assert.equal(
    workspace && exposedText(workspace),
    'Of the workspace: id, name, slug, timezone, currency code, country code.',
  )
  assert.equal(
    tasks?.exposes[0]?.fields.find(({ name }) => name === 'assignee email')?.description,
    'Email address of the assignee, when assigned.',
  )
})

test('a resource that is added later is described from its own definition', () => {
  const [words] = permissionWords([books])
  assert.equal(words?.name, books.permission)
  assert.match(words ? exposedText(words) : '', /^Of each book: id, /)
})
