import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { fetchSnapshot } from '../../../src/import/snapshot/fetch.ts'
import { rawServer, sourceServer } from '../../support/source-server.ts'
import { fetched, limits } from './fetched.ts'

const TEXT = Array.from(
  { length: 5000 },
  (_, id) => `{"id":"${id}","title":"Task ${Math.imul(id, 2654435761)}"}\n`,
).join('')

for (const [encoding, encode] of [
  ['gzip', gzipSync],
  ['GZIP', gzipSync],
  ['identity', (text: string) => Buffer.from(text)],
] as const) {
  const serving = (t: TestContext, body: Buffer) =>
    sourceServer(t, (_, response) =>
      response.writeHead(200, { 'content-encoding': encoding, 'content-length': String(body.length) }).end(body),
    )

  test(`${encoding} is decoded, and rejected if a part is missing although its length is as announced`, async (t) => {
    const body = encode(TEXT)
    assert.equal(await fetched((await serving(t, body)).url()), TEXT)
    if (encoding === 'identity') return
    for (const part of [body.subarray(0, -1), body.subarray(0, body.length / 2), Buffer.alloc(0)])
      await assert.rejects(
        fetched((await serving(t, part)).url()),
        /: the snapshot is not valid [\w-]+, or was truncated$/,
      )
  })
}

test('gzip in several members is read to its end, and trailing data is rejected', async (t) => {
  const members = Buffer.concat([gzipSync('[1,'), gzipSync('2]')])
  const bodies: Record<string, Buffer> = {
    '/whole': members,
    '/padded': Buffer.concat([members, Buffer.alloc(100)]),
    '/damaged': Buffer.concat([members, Buffer.from('damaged'.repeat(100_000))]),
  }
  const { url } = await sourceServer(t, ({ url = '' }, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bodies[url]),
  )
  assert.equal(await fetched(url('/whole')), '[1,2]')
  await assert.rejects(fetched(url('/padded')), /: the snapshot continues after the end of its gzip data$/)
  await assert.rejects(
    fetched(url('/damaged')),
    /: the snapshot (continues after the end of its gzip data|is not valid gzip, or was truncated)$/,
  )
})

test('an encoding that was not requested is rejected', async (t) => {
  const { url, requests } = await sourceServer(t, (_, response) =>
    response.writeHead(200, { 'content-encoding': 'compress' }).end(TEXT),
  )
  await assert.rejects(fetched(url()), /: the snapshot has an unsupported content encoding/)
  assert.equal(requests[0]?.headers['accept-encoding'], 'gzip')
})

for (const [what, head, body] of [
  ['fewer bytes than announced', 'Content-Length: 100', '[1,2]'],
  ['chunks without a last one', 'Transfer-Encoding: chunked', '5\r\n[1,2]\r\n'],
  ['a chunk that is cut', 'Transfer-Encoding: chunked', '9\r\n[1,2]'],
] as const)
  for (const ending of ['end', 'resetAndDestroy'] as const)
    test(`${what} (${ending}) are a truncated snapshot`, async (t) => {
      const url = await rawServer(t, (socket) => {
        socket.write(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n${body}`, () => socket[ending]())
      })
      const expected = head.startsWith('Content') ? ' of 100' : ''
      // A reset may overtake earlier data.
      const received = ending === 'end' ? '5' : '[05]'
      await assert.rejects(fetched(url), (error: Error) => {
        const broken = 'the server closed the connection \\(ECONNRESET\\)'
        assert.match(
          error.message,
          new RegExp(`: (the snapshot was truncated after ${received}${expected} bytes|${broken})$`),
        )
        return error.name === 'FetchError'
      })
    })

test('gzip that the connection cuts off is a truncated snapshot', async (t) => {
  const body = gzipSync(TEXT)
  const url = await rawServer(t, (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`)
    socket.end(body.subarray(0, 1000))
  })
  await assert.rejects(fetched(url), /: the snapshot was truncated after 1,000 of [\d,]+ bytes$/)
})

test('a JSON array shows by itself whether it is whole', async (t) => {
  const parts = ['\uFEFF', ' \n', ' ', '[1,', '2]']
  const url = await rawServer(t, async (socket) => {
    socket.write('HTTP/1.0 200 OK\r\n\r\n')
    for (const part of parts) await new Promise((resolve) => socket.write(part, resolve))
    socket.end()
  })
  assert.equal(await fetched(url), parts.join(''))
})

for (const headers of ['', 'gzip', 'chunked, identity'].map((coding) => coding && `Transfer-Encoding: ${coding}\r\n`))
  test(`a body whose end is not announced may be truncated, and is rejected: ${headers}`, async (t) => {
    const url = await rawServer(t, (socket) => socket.end(`HTTP/1.1 200 OK\r\n${headers}\r\n${TEXT}`))
    await assert.rejects(fetched(url), /: the server does not declare the length of the snapshot/)
  })

test('a body over the limit is rejected: announced, endless, or once decompressed', async (t) => {
  const tooLarge = /: the snapshot is larger than 100,000 bytes, the limit$/
  const { url } = await sourceServer(t, ({ url }, response) => {
    if (url === '/announced') response.writeHead(200, { 'content-length': '100001' }).flushHeaders()
    else if (url === '/bomb')
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(100_001)))
    else if (url === '/just') response.end(Buffer.alloc(100_000, ' '))
    else {
      const more = () => {
        while (!response.destroyed && response.write(TEXT));
      }
      response.on('drain', more)
      more()
    }
  })
  for (const path of ['/announced', '/endless', '/bomb'])
    await assert.rejects(fetched(url(path), limits({ bytes: 100_000 })), tooLarge, path)
  assert.equal((await fetched(url('/just'), limits({ bytes: 100_000 }))).length, 100_000)
})

test('a body that stalls is given up, but not while its reader is slow', async (t) => {
  const { url } = await sourceServer(t, ({ url }, response) => {
    response.write('[')
    if (url === '/whole') response.end(`${' '.repeat(1_000_000)}]`)
  })
  await assert.rejects(fetched(url('/stalls'), limits({ stallMs: 50 })), /: received no data for 0\.05 seconds$/)
  let bytes = 0
  for await (const chunk of (await fetchSnapshot(url('/whole'), limits({ stallMs: 3000 }))).chunks) {
    if (bytes === 0) await new Promise((resolve) => setTimeout(resolve, 3300))
    bytes += chunk.length
  }
  assert.equal(bytes, 1_000_002)
})
