import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import manifest from '../../package.json' with { type: 'json' }
import { assertProblem } from '../support/assertions.ts'
import { sharedContractService } from '../support/contract-service.ts'
import { exchange } from '../support/exchange.ts'
import { publishedCodes } from '../support/problem-codes.ts'
import { startService } from '../support/service.ts'

const ROOT = join(import.meta.dirname, '../..')
/** As browsers send it. */
const PERSON = { headers: { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' } }
/** README.md lists them. */
const guides = globSync('*.md', { cwd: join(ROOT, 'docs') })
  .map((file) => file.replace('.md', ''))
  .filter((name) => name !== 'README')
const MAX_PAGE_BYTES = 60_000

const plain = (text: string) =>
  text
    .replace(/<[^>]+>/g, '')
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code))
    .replace(/&(quot|lt|gt|amp);/g, (_, name: 'quot') => ({ quot: '"', lt: '<', gt: '>', amp: '&' })[name])

test('/ greets a person, and reveals nothing about the workspaces', async () => {
  const { url, key } = await sharedContractService()
  const { status, text, headers } = await exchange(url, '/', PERSON)
  assert.equal(status, 200)
  assert.equal(headers['content-type'], 'text/html; charset=utf-8')
  for (const words of [manifest.version, 'read-only', `${url}/tasks`, `${url}/v2/mcp`])
    assert.ok(text.includes(words), words)
  for (const path of ['/settings', '/docs', '/docs/api', '/problems', '/openapi.json', '/llms.txt'])
    assert.ok(text.includes(`href="${path}"`), path)
  assert.doesNotMatch(text, /acme/i)
  assert.ok(!text.includes(key.slice(0, 8)))
})

test('the guides name this server, by PUBLIC_URL or the requested host; those that start a server name that one', async (t) => {
  const named = await startService(t, { env: { PUBLIC_URL: 'https://vitrine.example' } })
  const { url } = await sharedContractService()
  for (const path of ['/docs/mcp', '/docs/mcp.md', '/docs/rest', '/docs/troubleshooting', '/docs/resources']) {
    const there = await exchange(named.url, path, PERSON)
    assert.match(there.text, /https:\/\/vitrine\.example\/(v2\/mcp|tasks|orders)/, path)
    assert.doesNotMatch(there.text, /127\.0\.0\.1:3000/, path)
    for (let n = 0; n < 3; n++) {
      const { text } = await exchange(url, path, { headers: { ...PERSON.headers, host: `h${n}.example` } })
      assert.ok(text.includes(`http://h${n}.example/`), path)
    }
    const odd = await exchange(url, path, { headers: { ...PERSON.headers, host: `vtr_${'x'.repeat(60)}` } })
    assert.ok(odd.text.includes('http://localhost/'), 'only valid hosts')
  }
  for (const path of ['/docs/tutorial', '/docs/check'])
    assert.match((await exchange(named.url, path, PERSON)).text, /http:\/\/127\.0\.0\.1:3000/, path)
})

test('at unknown paths, people get a page and programs the problem', async () => {
  const { url } = await sharedContractService()
  for (const path of ['/nope', '/problems/nope', '/tasks/1', '/v3/mcp', '/docs/nope']) {
    const page = await exchange(url, path, PERSON)
    assert.deepEqual([page.status, page.headers['content-type']], [404, 'text/html; charset=utf-8'], path)
    assert.match(page.text, /Page not found.*All guides/s)
    assert.equal((await exchange(url, path, { ...PERSON, method: 'HEAD' })).status, 404)
    for (const accept of ['*/*', 'application/json', 'text/html;q=0'])
      assertProblem(await exchange(url, path, { headers: { accept } }), 404, 'not_found')
  }
  assertProblem(await exchange(url, '/nope', { ...PERSON, method: 'POST' }), 404, 'not_found')
})

test('pages support HEAD and revalidation, refuse other methods, and allow no inline code', async () => {
  const { url } = await sharedContractService()
  for (const path of [
    '/',
    '/docs',
    '/docs/rest',
    '/docs/rest.md',
    '/docs/api',
    '/problems',
    '/problems/forbidden',
    '/llms.txt',
  ]) {
    const { status, text, headers } = await exchange(url, path, PERSON)
    assert.equal(status, 200, path)
    assert.match(headers['content-security-policy'] ?? '', /default-src 'none'.*frame-ancestors 'none'/, path)
    assert.doesNotMatch(headers['content-security-policy'] ?? '', /unsafe/, path)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['cache-control'], 'no-cache', path)
    assert.equal(headers['ratelimit-limit'], undefined, path)
    if (headers['content-type']?.includes('html'))
      assert.doesNotMatch(
        text,
        /<script(?! src="\/settings\/assets\/[^"]+" type="module"><\/script>)|<style|\son\w+=|\sstyle=/,
        path,
      )
    const again = await exchange(url, path, { headers: { ...PERSON.headers, 'if-none-match': headers.etag ?? '' } })
    assert.deepEqual([again.status, again.body.length], [304, 0], path)
    const head = await exchange(url, path, { ...PERSON, method: 'HEAD' })
    assert.deepEqual([head.status, head.body.length, head.headers.etag], [200, 0, headers.etag], path)
    const post = await exchange(url, path, { ...PERSON, method: 'POST' })
    assertProblem(post, 405, 'method_not_allowed')
    assert.equal(post.headers.allow, 'GET, HEAD')
  }
})

/** Every address that the pages link to, starting with the home page, with the linked anchors. */
async function crawl({ url }: { url: string }) {
  const linked = new Map<string, { from: string; anchors: Set<string> }>([['/', { from: '', anchors: new Set() }]])
  const pages = new Map<string, string>()
  for (const [path, { from }] of linked) {
    if (path === '/settings') continue
    const response = await exchange(url, path, PERSON)
    assert.equal(response.status, 200, `${path}, linked from ${from}`)
    if (!response.headers['content-type']?.startsWith('text/html')) continue
    pages.set(path, response.text)
    for (const [, address = ''] of response.text.matchAll(/(?:href|src)="([^"]+)"/g)) {
      if (/^https:/.test(address)) continue
      const target = new URL(address, `http://site${path}`)
      const known = linked.get(target.pathname) ?? { from: path, anchors: new Set() }
      if (target.hash !== '') known.anchors.add(decodeURIComponent(target.hash.slice(1)))
      linked.set(target.pathname, known)
    }
  }
  return { linked, pages }
}

test('every link leads to an existing page and section, and no page is large', async () => {
  const { linked, pages } = await crawl(await sharedContractService())
  for (const [path, { from, anchors }] of linked)
    for (const id of anchors) assert.ok(pages.get(path)?.includes(` id="${id}"`), `${path}#${id}, linked from ${from}`)
  for (const name of guides) assert.ok(pages.has(`/docs/${name}`), name)
  for (const code of Object.keys(publishedCodes)) assert.ok(pages.has(`/problems/${code}`), code)
  for (const [path, text] of pages) assert.ok(Buffer.byteLength(text) < MAX_PAGE_BYTES, `${path} ${text.length}`)
  for (const text of pages.values()) {
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    assert.equal(new Set(ids).size, ids.length)
  }
})

test('only documentation files are served', async () => {
  const { url } = await sharedContractService()
  for (const path of [
    '/docs/nothing',
    '/docs/package.json',
    '/docs/files/package.json',
    '/docs/files/src/config.ts',
    '/docs/../package.json',
    '/docs/%2e%2e/package.json',
    '/docs/..%2fpackage.json',
    '/docs/images/',
    '/docs/constructor',
    '/docs/__proto__',
    '/docs/rest.md.md',
    '/docs/api/nothing',
  ]) {
    assertProblem(await exchange(url, path), 404, 'not_found')
    const { status, headers, text } = await exchange(url, path, PERSON)
    assert.equal(status, 404, path)
    assert.equal(headers['content-type'], 'text/html; charset=utf-8')
    assert.match(text, /<h1>Page not found/)
  }
  const slash = await exchange(url, '/docs/')
  assert.deepEqual([slash.status, slash.headers.location], [303, '/docs'])
})

test("a problem's page has the text of its documentation, and links to its fix", async () => {
  const { url } = await sharedContractService()
  const list = await exchange(url, '/problems', PERSON)
  for (const code of Object.keys(publishedCodes)) {
    assert.ok(list.text.includes(`href="/problems/${code}"`), code)
    const { text, headers } = await exchange(url, `/problems/${code}`, PERSON)
    assert.match(headers.vary ?? '', /Accept\b(?!-)/)
    const lines = readFileSync(join(ROOT, `docs/problems/${code}.md`), 'utf8').split('\n')
    for (const line of lines.filter((line) => /^[A-Z]/.test(line))) assert.ok(plain(text).includes(line), line)
    assert.match(text, /<h2>Where to go from here<\/h2>\n<ul><li><a href="\//, code)
  }
  for (const code of ['unauthorized', 'forbidden', 'rate_limited', 'tool_not_found'])
    assert.match((await exchange(url, `/problems/${code}`, PERSON)).text, /<li><a href="\/settings">Settings: .*key/)
})

test('the request that the API reference shows for an operation works, pasted unchanged', async (t) => {
  const { url, key } = await sharedContractService()
  const env = { ...process.env, VITRINE_URL: url, VITRINE_KEY: key }
  for (const id of ['readWorkspace', 'readTasks', 'callMcp', 'callV1Mcp', 'callV2Mcp']) {
    const { text } = await exchange(url, `/docs/api/${id}`)
    const command = plain(/<pre tabindex="0"><code>(curl .*?)<\/code>/s.exec(text)?.[1] ?? assert.fail(id))
    const { stdout } = await promisify(execFile)('sh', ['-c', `${command} -s`], { env }).catch((error) => {
      if (error.code === 127) return { stdout: undefined }
      throw error
    })
    if (stdout === undefined) return t.skip('curl is not installed here')
    const response = JSON.parse(stdout)
    assert.ok(response.workspace ?? response.tasks ?? response.result?.content, stdout)
  }
})

test('/llms.txt explains to an agent what this is, how to authenticate, and where to read more', async () => {
  const { url } = await sharedContractService()
  const { status, text, headers } = await exchange(url, '/llms.txt')
  assert.equal(status, 200)
  assert.equal(headers['content-type'], 'text/plain; charset=utf-8')
  assert.match(text, /^# Vitrine\n\n> .+\n\n/)
  assert.match(text, /Authorization: Bearer <key>/)
  const links = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\): .+\.$/gm)].map(([, link = '']) => link)
  for (const name of guides) assert.ok(links.includes(`${url}/docs/${name}.md`), name)
  assert.ok(links.includes(`${url}/openapi.json`))
  assert.equal(links.length, text.match(/^- /gm)?.length)
  for (const link of links) assert.equal((await exchange(url, link.slice(url.length))).status, 200, link)
})
