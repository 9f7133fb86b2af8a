import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { fetchSnapshot } from '../../../src/import/snapshot/fetch.ts'
import { sourceServer } from '../../support/source-server.ts'
import { fetched, limits } from './fetched.ts'

const TASKS = '[{"id":"a","title":"A"}]'

for (const status of [201, 204, 206, 304, 404, 500, 503])
  test(`a ${status} is an error that names it`, async (t) => {
    const { url, origin } = await sourceServer(t, (_, response) => {
      response.statusCode = status
      response.end(TASKS)
    })
    await assert.rejects(fetchSnapshot(url('/x?token=hush')), (error: Error) => {
      assert.match(error.message, new RegExp(`^${origin}/x: returned ${status} [A-Z][A-Za-z -]+ instead of 200$`))
      return error.name === 'FetchError'
    })
  })

test('a refusal explains where credentials come from', async (t) => {
  const { url } = await sourceServer(t, (_, response) => response.writeHead(401).end())
  await assert.rejects(fetchSnapshot(url()), /returned 401 Unauthorized instead of 200; set SYNC_TOKEN_FILE or/)
})

const redirecting = (t: TestContext, target: (path: string) => string | undefined, status = 302) =>
  sourceServer(t, ({ url = '' }, response) => {
    const location = target(url)
    if (location === undefined) response.end(TASKS)
    else response.writeHead(status, { location }).end()
  })

for (const status of [301, 302, 303, 307, 308])
  test(`a ${status} is followed, with the credentials if it stays at the origin`, async (t) => {
    const { url, requests } = await redirecting(t, (path) => (path === '/old' ? '/new' : undefined), status)
    assert.equal(await fetched(url('/old'), { credentials: { authorization: 'Bearer hush' } }), TASKS)
    assert.deepEqual(
      requests.map(({ url, headers }) => [url, headers.authorization]),
      [
        ['/old', 'Bearer hush'],
        ['/new', 'Bearer hush'],
      ],
    )
  })

test('credentials go to no other origin, nor back to the first one after another origin', async (t) => {
  const credentials = { authorization: 'Bearer hush', 'x-api-key': 'hush too' }
  const other = await redirecting(t, (path) => (path === '/back' ? home.url('/here').href : undefined))
  const home = await redirecting(t, (path) => ({ '/away': other.url().href, '/around': other.url('/back').href })[path])
  assert.equal(await fetched(home.url('/away'), { credentials }), TASKS)
  assert.equal(await fetched(home.url('/around'), { credentials }), TASKS)
  const seen = ({ requests }: typeof home) =>
    requests.map(({ url, headers }) => [url, headers.authorization, headers['x-api-key']])
  assert.deepEqual(seen(other), [
    ['/tasks.json', undefined, undefined],
    ['/back', undefined, undefined],
  ])
  assert.deepEqual(seen(home), [
    ['/away', 'Bearer hush', 'hush too'],
    ['/around', 'Bearer hush', 'hush too'],
    ['/here', undefined, undefined],
  ])
})

test('five redirects are followed, and no more', async (t) => {
  const next = (path: string) => (path === '/0' ? undefined : `/${Number(path.slice(1)) - 1}`)
  const { url, requests } = await redirecting(t, next)
  assert.equal(await fetched(url('/5')), TASKS)
  await assert.rejects(fetchSnapshot(url('/6')), /\/6: redirects more than 5 times; use the final URL$/)
  assert.equal(requests.length, 12)
  const loop = await redirecting(t, () => '/again')
  await assert.rejects(fetchSnapshot(loop.url()), /redirects more than 5 times/)
})

test('a redirect without a target, or to something other than HTTP, is refused', async (t) => {
  const targets: Record<string, string> = {
    '/file': 'file:///etc/passwd',
    '/bad': 'http://[',
    '/user': '//u:p@localhost:1/',
  }
  const { url } = await redirecting(t, (path) => targets[path])
  await assert.rejects(
    fetchSnapshot(url('/file')),
    /: leads to a URL that is not http or https, so it was not followed$/,
  )
  await assert.rejects(fetchSnapshot(url('/bad')), /: redirects or continues to something that is not a valid URL$/)
  await assert.rejects(
    fetchSnapshot(url('/user')),
    /^FetchError: http:\/\/localhost:1\/: nothing accepts connections there/,
  )
})

test('the caller can abort at any point', async (t) => {
  const { url } = await sourceServer(t, ({ url }, response) => {
    if (url === '/body') response.write(TASKS)
  })
  const head = new AbortController()
  const waiting = fetchSnapshot(url('/head'), { signal: head.signal })
  head.abort(new Error('stopped'))
  await assert.rejects(waiting, /stopped/)
  const body = new AbortController()
  const { chunks } = await fetchSnapshot(url('/body'), { signal: body.signal })
  const reading = Array.fromAsync(chunks)
  body.abort(new Error('stopped'))
  await assert.rejects(reading, /stopped/)
})

test('a partly read snapshot leaves no connection open', async (t) => {
  const closed = Promise.withResolvers<void>()
  const { url } = await sourceServer(t, (request, response) => {
    request.socket.once('close', () => closed.resolve())
    response.write(TASKS)
  })
  for await (const _ of (await fetchSnapshot(url())).chunks) break
  await closed.promise
})

test('a server that takes too long in total is given up', async (t) => {
  const { url } = await sourceServer(t, (_, response) => {
    response.write('[')
    const drip = setInterval(() => response.write(' '), 5)
    response.once('close', () => clearInterval(drip))
  })
  await assert.rejects(fetched(url(), limits({ totalMs: 200 })), /: could not be fetched within 0\.2 seconds$/)
})
