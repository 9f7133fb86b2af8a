import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { test as nodeTest } from 'node:test'
import { assertHeaders, assertProblem, jsonBody } from '../support/assertions.ts'
import { sharedContractService, startContractService } from '../support/contract-service.ts'
import { testWith } from '../support/database.ts'
import { publishedCodes } from '../support/problem-codes.ts'
import { sendRaw } from '../support/raw.ts'

const test = testWith(sharedContractService)

nodeTest('the list of published codes here is the one in the documentation', () => {
  const pages = globSync('*.md', { cwd: join(import.meta.dirname, '../../docs/problems') })
  const documented = pages.filter((page) => page !== 'README.md').map((page) => page.replace('.md', ''))
  assert.deepEqual(Object.keys(publishedCodes).sort(), documented.sort())
})

test('every published code has a page that explains it, as JSON for programs', async ({ send }) => {
  for (const [code, status] of Object.entries(publishedCodes)) {
    const response = await send(`/problems/${code}`)
    assert.equal(response.status, 200, code)
    assertHeaders(response, {
      ...jsonBody(response),
      'cache-control': 'no-store',
    })
    const { title, meaning, hint, ...rest } = response.json as Record<string, unknown>
    assert.deepEqual(rest, { code, status })
    for (const text of [title, meaning, hint]) assert.ok(typeof text === 'string' && text.length > 5, response.text)
  }
})

nodeTest('with PUBLIC_URL the type is absolute, everywhere', async (t) => {
  const { url, send, get, rpc } = await startContractService(t, { env: { PUBLIC_URL: 'https://vitrine.example/' } })
  const typeOf = ({ json }: { json: unknown }) => (json as { type: string }).type
  assert.equal(typeOf(await send('/workspace')), 'https://vitrine.example/problems/unauthorized')
  assert.equal(typeOf(await get('/nothing')), 'https://vitrine.example/problems/not_found')
  assert.equal(typeOf(await rpc('{')), 'https://vitrine.example/problems/invalid_json')
  assert.equal(typeOf(await sendRaw(url, 'GARBAGE\r\n\r\n')), 'https://vitrine.example/problems/bad_request')
})

test('an unknown code is a 404 problem, and a page for people', async ({ send }) => {
  for (const code of ['nonsense', '', 'constructor', '__proto__', 'Unauthorized', 'unauthorized/', '%2e%2e%2fx'])
    for (const [accept, type] of [
      ['application/json', 'application/problem+json'],
      ['text/html', 'text/html; charset=utf-8'],
    ] as const) {
      const response = await send(`/problems/${code}`, { headers: { accept } })
      assert.deepEqual([response.status, response.headers['content-type']], [404, type], code)
      if (accept === 'application/json') assertProblem(response, 404, 'not_found')
    }
})
