/** A list that an operator declared keeps its name when a later version has a list of its own with that name. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkDefinitions, loadDeclared, readFolder, withDeclared } from '../../../src/resources/declared/load.ts'
import { acmeProgram, program } from '../../support/program.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { resources as later } from '../books/index.ts'
import { changed } from './orders.ts'

const LATER = import.meta.resolve('../books/index.ts')
const book = changed({ name: 'books', singular: 'book' })

test('a later built-in list gives way to a declared one with its name, its command or its schema; tasks never do', (t) => {
  const folder = temporaryFolder(t)
  const write = (definition: object) => writeFileSync(join(folder, 'a.json'), JSON.stringify(definition))
  const names = () => withDeclared(folder, later).map(({ name, replaces }) => [name, ...(replaces ?? [])].join(' '))
  write(book)
  assert.deepEqual(names(), ['workspace', 'tasks', 'books books'])
  write(changed({ name: 'volumes', singular: 'book' }))
  assert.deepEqual(names(), ['workspace', 'tasks', 'volumes books'])
  write(changed({ name: 'orders', singular: 'order' }))
  assert.deepEqual(names(), ['workspace', 'tasks', 'books', 'orders'])
  for (const taken of [
    { name: 'tasks', singular: 'job' },
    { name: 'jobs', singular: 'task' },
  ]) {
    write(changed(taken))
    assert.throws(() => loadDeclared(folder, later), /which the resource tasks already has; choose another$/)
  }
  write(book)
  assert.deepEqual(checkDefinitions(readFolder(folder), later)[0]?.faults, [])
})

test('an upgrade to such a version serves the declared list as before, and says that its own is off', async (t) => {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'books.json'), JSON.stringify(book))
  const before = await acmeProgram(t, { RESOURCES: folder })
  const row = { id: 'a', supplier: 'Zen', total: '1.50', orderedOn: '2026-11-16', status: 'sent' }
  await before.ok('book', 'import', '--workspace', 'acme', before.writeFile('rows.json', JSON.stringify([row])))
  const key = await before.ok('key', 'create', '--workspace', 'acme', '--label', 'x', '--permissions', 'books:read')
  const shown = await before.json('book', 'show', '--workspace', 'acme', 'a')

  const { DATABASE_URL = '' } = before.env
  const after = program(t, { DATABASE_URL, RESOURCES: folder }, LATER)
  await after.ok('migrate')
  assert.deepEqual(await after.json('book', 'show', '--workspace', 'acme', 'a'), shown)
  assert.match(
    await after.ok('doctor'),
    /^ok {4}resource books: keeps its name, so this version's own list books is off here$/m,
  )
  const server = await after.start('serve')
  const response = await fetch(`${server.url}/books`, { headers: { authorization: `Bearer ${key}` } })
  const { books } = (await response.json()) as { books: { id: string; supplier: string }[] }
  assert.deepEqual([books[0]?.id, books[0]?.supplier], ['a', 'Zen'])
  await server.printed(`"msg":"this version's own list books is off here: the declared books has its name"`)
  await server.stop()

  // Without the file, the rows would be taken for those of the other list.
  const without = program(t, { DATABASE_URL }, LATER)
  for (const command of ['migrate', 'serve'])
    assert.match(
      await without.fails(1, command),
      /put the file of yours back into RESOURCES, and yours keeps the name$/m,
    )
  assert.deepEqual(await after.json('book', 'show', '--workspace', 'acme', 'a'), shown)
})
