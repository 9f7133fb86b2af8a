import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { EventLoopTicks } from '../../src/http/event-loop-ticks.ts'
import { IncomingRequest, OutgoingResponse } from '../../src/http/node-internals.ts'
import { createPipelining, MAX_PENDING_RESPONSES, MAX_WAITING, WAITING_SHARE } from '../../src/http/pipelining.ts'
import { listenUntilEnd } from '../support/listen.ts'
import { openRaw } from '../support/raw.ts'
import { waitUntil } from '../support/wait.ts'

interface Options {
  isBusy?: boolean
}

async function serve(t: TestContext, listener: RequestListener, { isBusy = false }: Options = {}) {
  let tooMany = 0
  const ticks = new EventLoopTicks({ size: 1 })
  const classes = { IncomingMessage: IncomingRequest, ServerResponse: OutgoingResponse }
  const server = createServer({ optimizeEmptyRequests: true, ...classes }, (req, res) =>
    res.socket === null ? pipelining.schedule(req, res) : listener(req, res),
  )
  const sockets: Socket[] = []
  const pipelining = createPipelining({
    serve: listener,
    isBusy: () => isBusy,
    afterTick: (task) => ticks.afterCurrent(task),
    onTooMany: () => tooMany++,
  })
  server.on('connection', (socket: Socket) => sockets.push(socket))
  const port = await listenUntilEnd(t, server)
  return {
    url: `http://127.0.0.1:${port}`,
    sockets,
    tooMany: () => tooMany,
  }
}

const get = (path: number | string) => `GET /${path} HTTP/1.1\r\nHost: x\r\n\r\n`
const numbered = (count: number) => Array.from({ length: count }, (_, i) => get(i)).join('')
const echo: RequestListener = (req, res) =>
  void res.writeHead(200, ['Content-Length', req.url?.length ?? 0]).end(req.url)

/** Elsewhere a machine has one loopback address until it is given more. */
const onlyLinux = process.platform === 'linux' ? {} : { skip: 'there is no 127.0.0.2 on this system' }

test('a client that sends thousands of requests at once and reads gets every response, in order', async (t) => {
  const { url } = await serve(t, echo)
  const connection = await openRaw(url)
  connection.write(numbered(3000))
  for (let i = 0; i < 3000; i++) assert.equal((await connection.next()).text, `/${i}`)
})

test('a connection has a bounded number of pending requests; the others wait, then proceed one by one', async (t) => {
  const begun: ServerResponse[] = []
  const { url, sockets } = await serve(t, (_req, res) => void begun.push(res))
  const connection = await openRaw(url)
  connection.write(numbered(MAX_PENDING_RESPONSES + 20))
  await waitUntil(() => begun.length > 0)
  const [socket] = sockets
  assert.ok(socket?.isPaused(), 'it is read no further')
  for (let i = 0; i < 20; i++) await setImmediate()
  assert.equal(begun.length, MAX_PENDING_RESPONSES)
  for (const res of begun) res.end()
  await waitUntil(() => begun.length > MAX_PENDING_RESPONSES)
  for (let i = 0; i < 20; i++) await setImmediate()
  assert.equal(begun.length, MAX_PENDING_RESPONSES + 1, 'one at a time')
  for (let i = MAX_PENDING_RESPONSES; i < MAX_PENDING_RESPONSES + 20; i++) {
    await waitUntil(() => begun.length > i)
    begun[i]?.end()
  }
  await waitUntil(() => !socket?.isPaused())
  connection.write(get('more'))
  await waitUntil(() => begun.length === MAX_PENDING_RESPONSES + 21)
})

test('under load, a connection has one request at a time', async (t) => {
  const begun: ServerResponse[] = []
  const { url } = await serve(t, (_req, res) => void begun.push(res), { isBusy: true })
  const connection = await openRaw(url)
  connection.write(numbered(5))
  await waitUntil(() => begun.length > 0)
  for (let i = 0; i < 20; i++) await setImmediate()
  assert.equal(begun.length, 1)
})

test('other connections are served between the requests of one that sent thousands', async (t) => {
  const order: string[] = []
  const { url } = await serve(t, (req, res) => {
    order.push(req.url?.startsWith('/polite') ? 'polite' : 'greedy')
    echo(req, res)
  })
  const [greedy, polite] = await Promise.all([openRaw(url), openRaw(url)])
  greedy.write(numbered(4000))
  polite.write(get('polite'))
  await polite.next()
  const before = order.indexOf('polite')
  assert.ok(before < 1000, `${before} requests of the other connection came first`)
})

test('bodies, an upgrade and Connection: close keep their places among waiting requests', async (t) => {
  const { url } = await serve(t, (req, res) => {
    let body = ''
    req.setEncoding('utf8').on('data', (text) => {
      body += text
    })
    req.on('end', () => {
      const text = `${req.method} ${body}`
      res.writeHead(200, ['Content-Length', text.length]).end(text)
    })
  })
  const post = (body: string) => `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const upgrade = 'POST / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: x\r\nContent-Length: 1\r\n\r\nu'
  const last = 'POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 4\r\n\r\nlast'
  const connection = await openRaw(url)
  const texts = Array.from({ length: 60 }, (_, i) => `body ${i}`)
  connection.write(`${texts.map(post).join('')}${upgrade}`)
  for (const text of texts) assert.equal((await connection.next()).text, `POST ${text}`)
  assert.equal((await connection.next()).text, 'POST u')
  connection.write(`${texts.map(post).join('')}${last}`)
  const responses = await connection.untilClosed()
  assert.deepEqual(
    responses.map(({ text }) => text),
    [...texts, 'last'].map((text) => `POST ${text}`),
  )
})

test(
  'too many waiting requests of one network close the connection that adds to them, and no other; closed ones no longer count',
  onlyLinux,
  async (t) => {
    const begun: ServerResponse[] = []
    const { url, sockets, tooMany } = await serve(t, (_req, res) => void begun.push(res))
    const blob = numbered(2000)
    const connections = []
    while (tooMany() === 0) {
      const connection = await openRaw(url)
      connection.write(blob)
      connections.push(connection)
      assert.ok(connections.length < 100)
      await waitUntil(() => {
        const socket = sockets[connections.length - 1]
        return socket?.isPaused() === true || socket?.destroyed === true
      })
    }
    await connections.at(-1)?.untilClosed()
    assert.ok(begun.length >= connections.length * MAX_PENDING_RESPONSES)
    assert.deepEqual(
      sockets.map(({ destroyed }) => destroyed),
      connections.map((_, i) => i === connections.length - 1),
    )
    assert.ok(connections.length > (MAX_WAITING * WAITING_SHARE) / 2000, 'before that, they only waited')
    const few = await openRaw(url)
    const before = begun.length
    few.write(numbered(MAX_PENDING_RESPONSES))
    await waitUntil(() => begun.length === before + MAX_PENDING_RESPONSES)
    const elsewhere = await openRaw(url, { localAddress: '127.0.0.2' })
    elsewhere.write(blob)
    await waitUntil(() => begun.length === before + 2 * MAX_PENDING_RESPONSES)
    assert.deepEqual([sockets.at(-1)?.isPaused(), tooMany()], [true, 1], 'another network has its own share')
    for (const socket of sockets.slice(0, -1)) socket.destroy()
    await waitUntil(() => sockets.slice(0, -1).every(({ closed }) => closed))
    for (let i = 0; i < 5; i++) await setImmediate()
    const again = await openRaw(url)
    again.write(blob)
    await waitUntil(() => sockets.at(-1)?.isPaused() === true)
    assert.equal(tooMany(), 1)
    for (const { socket } of [few, elsewhere, again]) socket.destroy()
  },
)

test('a client that leaves while its requests wait leaves no work behind', async (t) => {
  const begun: ServerResponse[] = []
  const { url, sockets } = await serve(t, (_req, res) => void begun.push(res))
  const connection = await openRaw(url)
  connection.write(numbered(200))
  await waitUntil(() => begun.length === MAX_PENDING_RESPONSES)
  connection.socket.resetAndDestroy()
  // A socket that is not read does not notice; a response that cannot be sent does.
  begun[0]?.end('x')
  sockets[0]?.destroy()
  if (sockets[0]?.closed === false) await once(sockets[0], 'close')
  for (let i = 0; i < 20; i++) await setImmediate()
  assert.equal(begun.length, MAX_PENDING_RESPONSES)
})
