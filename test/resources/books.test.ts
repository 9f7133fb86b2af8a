/** A resource with a list of its own is one folder (test/resources/books) and one line (its index.ts). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { archiveWorkspace } from '../support/changes.ts'
import { listOf } from '../support/pages.ts'
import { KEYS, signedIn } from '../support/person.ts'
import { startService } from '../support/service.ts'
import { rowsOf } from '../support/written-lists.ts'
import { books } from './books/contract.ts'
import { resources } from './books/index.ts'

const AT = '2026-11-15T12:00:00.000Z'

test('books: route, tool, OpenAPI, key form, and every change is seen immediately', async (t) => {
  const service = await startService(t, { resources })
  const { put, remove } = rowsOf(service.operator, listOf(books), service.workspaceId)

  const browser = await signedIn(service)
  const form = await browser.get(`${KEYS}/new`)
  assert.match(form.text, /value="books:read"[^>]*>[\s\S]*?List books/)

  const { token } = await service.createKey({ permissions: ['books:read'] })
  const authorization = `Bearer ${token}`
  const read = async () => (await service.get('/books', { authorization })).text()
  assert.equal((await service.get('/books')).status, 403)
  assert.equal(await read(), '{"books":[]}')
  await put([{ id: 'b', title: 'B', author: 'Y', createdAt: AT }])
  assert.equal(await read(), '{"books":[{"id":"b","title":"B","author":"Y","pages":null}]}')
  await put([{ id: 'a', title: 'A', author: 'Z', createdAt: AT }])
  await put([{ id: 'b', title: 'B', author: 'Y', pages: 7 }])
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
  await remove(['a'])
  assert.deepEqual(JSON.parse(await read()), { books: both.slice(0, 1) })
  await archiveWorkspace(service.operator, 'acme', 'test')
  assert.equal(await read(), '{"books":[]}')

  const document = JSON.parse(await (await fetch(`${service.url}/openapi.json`)).text())
  assert.equal(document.paths['/books'].get.operationId, 'readBooks')
  assert.deepEqual(document.components.schemas.Book.properties.pages, {
    type: ['integer', 'null'],
    description: 'How many pages it has, when known.',
  })
  assert.equal((await fetch(`${service.url}/readyz`)).status, 200)
})
