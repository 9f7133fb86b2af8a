/** A resource with a table of its own is one folder (test/resources/books) and one line (its index.ts). */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { availableEngines, connectElsewhere, type Elsewhere, freshDatabaseUrl } from '../support/database.ts'
import { KEYS, signedIn } from '../support/person.ts'
import { program } from '../support/program.ts'
import { startService } from '../support/service.ts'
import { resources } from './books/index.ts'

const BOOKS_URL = import.meta.resolve('./books/index.ts')
const AT = '2026-11-15T12:00:00.000Z'

const FILE = `
{"id":"maias","title":"Os Maias","author":"Eça de Queirós","pages":720}
{"id":"anon","title":"Beowulf","pages":null}
{"id":"crime","title":"O crime do padre Amaro","author":"Eça de Queirós","pages":498,"createdAt":"2026-01-01T00:00:00Z"}
{"id":"emma","title":"Emma","author":"Austen"}
`
/** By author, those without one last, then by title. */
const BOOKS = [
  { id: 'emma', title: 'Emma', author: 'Austen', pages: null },
  { id: 'crime', title: 'O crime do padre Amaro', author: 'Eça de Queirós', pages: 498 },
  { id: 'maias', title: 'Os Maias', author: 'Eça de Queirós', pages: 720 },
  { id: 'anon', title: 'Beowulf', author: null, pages: null },
]

const counts = (created: number, changed: number, gone: number, unchanged: number) =>
  `${JSON.stringify({ created, changed, gone, unchanged })}\n`

/** The command line over these resources, with a workspace and the books in it. */
async function imported(t: TestContext) {
  const url = await freshDatabaseUrl(t)
  const vitrine = program(t, { DATABASE_URL: url }, BOOKS_URL)
  await vitrine.ok('workspace', 'create', '--name', 'Acme', '--slug', 'acme')
  const add = (name: string, text: string) => {
    writeFileSync(join(vitrine.folder, name), text)
    return vitrine.run('book', 'import', '--workspace', 'acme', name)
  }
  const { stderr } = await add('books.ndjson', FILE)
  assert.equal(stderr, 'Imported 4 books into acme: 4 new, 0 replaced.\n')
  return { ...vitrine, url, add }
}

test("books: the resource's command syncs a source", async (t) => {
  const { add, folder, run, ok } = await imported(t)
  const sync = (content: string) => {
    writeFileSync(join(folder, 'shop.csv'), content)
    return run('book', 'sync', '--workspace', 'acme', '--source', 'shop', '--json', 'shop.csv')
  }
  assert.equal((await sync('id,title,pages\ns1,Walden,300\ns2,Silas,\n')).stdout, counts(2, 0, 0, 0))
  assert.equal((await sync('id,title,pages\ns1,Walden,301\n')).stdout, counts(0, 1, 1, 0))
  assert.equal((await sync('id,title,pages\ns1,Walden,301\n')).stdout, counts(0, 0, 0, 1))
  assert.match((await sync('id,title\nemma,Emma\n')).stderr, /\\"emma\\" \(imported.*'vitrine book delete/)
  assert.match((await add('over.csv', 'id,title\ns1,Walden\n')).stderr, /1 book belongs to a source/)
  assert.match(await ok('audit', '--workspace', 'acme'), /books\.synced/)
})

test('books: route, tool, OpenAPI, key form, and every change is seen immediately', async (t) => {
  const service = await startService(t, { resources })
  const elsewhere = await connectElsewhere(service.databaseUrl, t)
  const [workspace] = await elsewhere.all<{ id: string }>('SELECT id FROM workspaces')
  const insert = (id: string, title: string, author: string) =>
    elsewhere.run(`INSERT INTO books (workspace_id, id, title, author, created_at)
      VALUES ('${workspace?.id}', '${id}', '${title}', '${author}', '${AT}')`)

  const browser = await signedIn(service)
  const form = await browser.get(`${KEYS}/new`)
  assert.match(form.text, /value="books:read"[^>]*>[\s\S]*?List books/)

  const { token } = await service.createKey({ permissions: ['books:read'] })
  const authorization = `Bearer ${token}`
  const read = async () => (await service.get('/books', { authorization })).text()
  assert.equal((await service.get('/books')).status, 403)
  assert.equal(await read(), '{"books":[]}')
  await insert('b', 'B', 'Y')
  assert.equal(await read(), '{"books":[{"id":"b","title":"B","author":"Y","pages":null}]}')
  await insert('a', 'A', 'Z')
  await elsewhere.run(`UPDATE books SET pages = 7 WHERE id = 'b'`)
  const both = [
    { id: 'b', title: 'B', author: 'Y', pages: 7 },
    { id: 'a', title: 'A', author: 'Z', pages: null },
  ]
  assert.deepEqual(JSON.parse(await read()), { books: both })

  const call = async (args: object) => {
    const params = { name: 'list_books', arguments: args }
    const response = await service.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, { authorization })
    return (await response.json()) as { result?: { content: [{ text: string }] }; error?: { message: string } }
  }
  assert.equal((await call({})).result?.content[0].text, JSON.stringify({ books: both }))
  const asked = async (args: object) => JSON.parse((await call(args)).result?.content[0].text ?? '')
  const byAuthor = await asked({ author: 'Z' })
  assert.deepEqual([byAuthor.books, byAuthor.total, byAuthor.hasMore], [[both[1]], 1, false])
  assert.deepEqual((await asked({ query: 'b y', fields: ['pages'] })).books, [{ id: 'b', title: 'B', pages: 7 }])
  assert.deepEqual((await asked({ countBy: 'author' })).counts, [
    { value: 'Y', count: 1 },
    { value: 'Z', count: 1 },
  ])
  assert.match((await call({ publisher: 'Z' })).error?.message ?? '', /publisher is not a known argument/)
  await elsewhere.run(`DELETE FROM books WHERE id = 'a'`)
  assert.deepEqual(JSON.parse(await read()), { books: both.slice(0, 1) })
  await elsewhere.run(`UPDATE workspaces SET archived_at = '${AT}'`)
  assert.equal(await read(), '{"books":[]}')

  const document = JSON.parse(await (await fetch(`${service.url}/openapi.json`)).text())
  assert.equal(document.paths['/books'].get.operationId, 'readBooks')
  assert.deepEqual(document.components.schemas.Book.properties.pages, {
    type: ['integer', 'null'],
    description: 'How many pages it has, when known.',
  })
  assert.equal((await fetch(`${service.url}/readyz`)).status, 200)
})

test('books: imported, served, limited and copied by the command line', async (t) => {
  const vitrine = await imported(t)
  const read = async (url: string, key: string) =>
    JSON.parse(await (await fetch(`${url}/books`, { headers: { authorization: `Bearer ${key}` } })).text())
  const create = ['key', 'create', '--workspace', 'acme', '--label', 'x']
  const key = await vitrine.ok(...create, '--permissions', 'books:read')
  assert.match((await vitrine.ok('key', 'create', '--help')).replace(/\s+/g, ' '), /"books:read"/)
  const server = await vitrine.serve()
  assert.deepEqual(await read(server.url, key), { books: BOOKS })

  const again = await vitrine.add('more.csv', 'id,title,pages\nemma,Emma again,300\nnew,Middlemarch,\n')
  assert.equal(again.stderr, 'Imported 2 books into acme: 1 new, 1 replaced.\n')
  const { books } = (await read(server.url, key)) as { books: object[] }
  assert.deepEqual(books.slice(2), [
    BOOKS[3],
    { id: 'emma', title: 'Emma again', author: null, pages: 300 },
    { id: 'new', title: 'Middlemarch', author: null, pages: null },
  ])
  await server.stop()

  const bad = await vitrine.add(
    'bad.ndjson',
    `{"id":"a","title":"${'x'.repeat(301)}"}\n{"id":"b","title":"B","pages":0}\n{"id":"c","isbn":"1"}\n`,
  )
  assert.equal(bad.code, 1)
  assert.equal(
    bad.stderr,
    [
      'line 1: title must be at most 300 characters, and has 301',
      'line 2: pages must be at least 1',
      'line 3: isbn is not a known field; title is required',
      'vitrine: nothing was imported: 3 bad records\n',
    ].join('\n'),
  )
  const elsewhere = await connectElsewhere(vitrine.url, t)
  for (const [column, value, rule] of [
    ['title', `'${'x'.repeat(301)}'`, 'books_title_at_most_300_characters: title must be at most 300 characters'],
    ['title', `''`, 'books_title_not_empty: title must not be empty'],
    ['pages', '100001', 'books_pages_in_range: pages must be from 1 to 100000'],
  ])
    await assert.rejects(elsewhere.run(`UPDATE books SET ${column} = ${value}`), new RegExp(rule ?? ''))
  assert.match(await vitrine.ok('doctor'), /^ok {4}rows: \d+ read, all valid$/m)

  for (const to of availableEngines()) {
    const target = await freshDatabaseUrl(t, to)
    const counts = JSON.parse(await vitrine.ok('copy', '--from', vitrine.url, '--to', target, '--json'))
    assert.equal(counts.books, 5)
    const copy = await connectElsewhere(target, t)
    // PostgreSQL's client gives large integers as text.
    const rows = async ({ all }: Elsewhere) =>
      (await all<object>('SELECT seq, workspace_id, id, title, author, pages FROM books ORDER BY seq')).map((row) =>
        Object.values(row).join(),
      )
    assert.deepEqual(await rows(copy), await rows(elsewhere))
  }
})
