import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { fetchSnapshot } from '../../../src/import/snapshot/fetch.ts'
import { FETCH_LIMITS } from '../../../src/import/snapshot/response-body.ts'
import { hasOpenssl, selfSigned } from '../../support/certificates.ts'
import { freePort } from '../../support/listen.ts'
import { rawServer, sourceServer } from '../../support/source-server.ts'
import { fetched } from './fetched.ts'

const failure = async (url: URL, limits = FETCH_LIMITS): Promise<string> => {
  const error: Error = await fetchSnapshot(url, { limits }).then(
    () => assert.fail('it was fetched'),
    (reason) => reason,
  )
  assert.equal(error.name, 'FetchError', error.stack)
  return error.message
}

test("an unreachable server is named without the URL's query", async () => {
  const port = await freePort()
  assert.equal(
    await failure(new URL(`http://127.0.0.1:${port}/tasks?token=hush#hush`)),
    `http://127.0.0.1:${port}/tasks: nothing accepts connections there; check the URL, and whether the server is running (ECONNREFUSED)`,
  )
  assert.match(
    await failure(new URL('http://nowhere.invalid/')),
    /: (there is no such host|the name of the host cannot be)/,
  )
})

test('a server that does not respond in time is given up, whatever part is missing', async (t) => {
  const silent = await rawServer(t, () => {})
  assert.match(
    await failure(silent, { ...FETCH_LIMITS, responseMs: 50 }),
    /: no response within 0\.05 seconds; check the server$/,
  )
  // It accepts the connection, but never shows a certificate.
  const encrypted = new URL(silent.href.replace('http:', 'https:'))
  assert.match(
    await failure(encrypted, { ...FETCH_LIMITS, connectMs: 50 }),
    /: no connection within 0\.05 seconds; check the server$/,
  )
})

test('a redirect may lead from http to https, and never back', { skip: !hasOpenssl }, async (t) => {
  const tls = selfSigned(t)
  const before = getCACertificates()
  setDefaultCACertificates([...before, tls.cert])
  t.after(() => setDefaultCACertificates(before))
  const plain = await sourceServer(t, (_, response) =>
    response.writeHead(302, { location: encrypted.url('/up').href }).end(),
  )
  const encrypted = await sourceServer(
    t,
    ({ url }, response) => {
      if (url === '/up') response.end('[]')
      else response.writeHead(302, { location: `${plain.url('/x').href}?token=hush` }).end()
    },
    tls,
  )
  assert.equal(await fetched(plain.url()), '[]')
  const asked = plain.requests.length
  assert.equal(
    await failure(encrypted.url('/down')),
    `${encrypted.origin}/down: leads from https to ${plain.origin}/x, which is not encrypted, so it was not followed`,
  )
  assert.equal(plain.requests.length, asked)
})

test('the next page is found in a Link header', async (t) => {
  let link = ''
  const source = await sourceServer(t, (_, response) => {
    response.setHeader('link', link)
    response.end('[]')
  })
  const nextOf = async () => (await fetchSnapshot(source.url())).next?.href
  const far = 'https://tracker.example/tasks?page=2'
  for (link of [`<${far}>; rel="next", <${far}9>; rel="last"`, `<${far}0>; rel="prev", <${far}>; rel="next"`])
    assert.equal(await nextOf(), far, link)
  for (link of ['</tasks?page=2>;rel=next', '</tasks?page=2>; title="more"; REL = "prefetch next"'])
    assert.equal(await nextOf(), source.url('/tasks?page=2').href, link)
  for (link of ['</tasks?page=1>; rel="prev"', '</next>; rel="first last"', '</tasks>; rel=next-archive'])
    assert.equal(await nextOf(), undefined, link)
})

test('a Retry-After in seconds or as a date is respected', async (t) => {
  let wait = ''
  const source = await sourceServer(t, (_, response) => {
    response.writeHead(429, { date: 'Mon, 16 Nov 2026 12:00:00 GMT', 'retry-after': wait }).end()
  })
  const waits: number[] = []
  for (wait of ['120', 'Mon, 16 Nov 2026 12:00:30 GMT', 'Mon, 16 Nov 2026 11:00:00 GMT', 'soon', '-1'])
    waits.push(
      await fetchSnapshot(source.url()).then(
        () => assert.fail('it was fetched'),
        ({ retryAfterMs }) => retryAfterMs,
      ),
    )
  assert.deepEqual(waits, [120_000, 30_000, 0, 0, 0])
})
