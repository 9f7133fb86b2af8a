import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:https'
import { createServer as createTcpServer } from 'node:net'
import { test } from 'node:test'
import { sendWebhook, type WebhookOptions, webhookFault } from '../../src/notices/webhook.ts'
import { hasOpenssl, selfSigned } from '../support/certificates.ts'
import { freePort, listen } from '../support/listen.ts'
import { startReceiver } from '../support/notices.ts'

const webhook = { secret: `whsec_${'A'.repeat(43)}=`, id: 'msg_1', body: '{}' }
const OPEN = { allowPrivate: true, timeoutMs: 60_000 } satisfies WebhookOptions
const failure = (message: RegExp | string) => ({ name: 'ConnectionError', message })

test('a receiver that is slow, redirects, fails or is unreachable is reported, in bounded time', async (t) => {
  const receiver = await startReceiver(t)
  const other = await startReceiver(t)
  const send = (options: WebhookOptions = OPEN) => sendWebhook({ ...webhook, url: receiver.url }, options)
  await send()
  receiver.respond = () => {}
  await assert.rejects(send({ ...OPEN, timeoutMs: 300 }), failure('no response within 0.3 seconds'))
  receiver.respond = (response) => void response.writeHead(307, { location: other.url }).end()
  await assert.rejects(send(), failure('the receiver responded with 307, a redirect'))
  assert.equal(other.received.length, 0)
  receiver.respond = (response) => void response.writeHead(500).end('x'.repeat(1000))
  await assert.rejects(send(), failure('the receiver responded with 500'))
  const url = `http://127.0.0.1:${await freePort()}/`
  await assert.rejects(sendWebhook({ ...webhook, url }, OPEN), failure(/nothing accepts connections/))
})

test('the body of a response is not read, however large, and headers are bounded', async (t) => {
  const receiver = await startReceiver(t)
  let written = 0
  receiver.respond = (response) => {
    response.writeHead(200)
    const write = () => {
      if (response.destroyed || written > 1e9) return
      written += 65_536
      if (response.write('x'.repeat(65_536))) setImmediate(write)
    }
    response.on('drain', write)
    write()
  }
  await sendWebhook({ ...webhook, url: receiver.url }, OPEN)
  assert.ok(written < 50e6, `${written} bytes`)
  const endless = createTcpServer((socket) => {
    socket.on('error', () => {})
    socket.write('HTTP/1.1 200 OK\r\n')
    const timer = setInterval(() => socket.write(`x-${'a'.repeat(8000)}: 1\r\n`), 1)
    socket.on('close', () => clearInterval(timer))
  })
  const url = `http://127.0.0.1:${await listen(endless)}/`
  t.after(() => endless.close())
  await assert.rejects(sendWebhook({ ...webhook, url }, OPEN), { name: 'ConnectionError' })
})

test('a private address is refused, directly, by DNS, and as one of several', { skip: !hasOpenssl }, async (t) => {
  const certificate = selfSigned(t, 'DNS:hook.example')
  let requests = 0
  const server: Server = createServer(certificate, (_, response) => {
    requests++
    response.end()
  })
  const port = await listen(server)
  t.after(() => server.close())
  const url = `https://hook.example:${port}/`
  const send = (addresses: string[], isAllowed?: (address: string) => boolean) =>
    sendWebhook(
      { ...webhook, url },
      {
        ...{ allowPrivate: false, ca: certificate.cert, resolve: async () => addresses },
        ...(isAllowed && { isAllowed }),
      },
    )
  const refused = failure('there is no such host; check the URL (ENOTFOUND)')
  for (const private_ of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.1', 'fd00::1'])
    await assert.rejects(send([private_]), refused, private_)
  await assert.rejects(send(['192.0.43.10', '127.0.0.1']), refused)
  assert.equal(requests, 0)
  await send(['127.0.0.1'], (address) => address === '127.0.0.1')
  assert.equal(requests, 1)
  for (const host of ['127.0.0.1', '[::1]', '0x7f.1', '10.1.1.1', '[::ffff:7f00:1]']) {
    const direct = `https://${host}:${port}/`
    assert.match(webhookFault(direct, { allowPrivate: false }) ?? '', /public address/, host)
    await assert.rejects(
      sendWebhook({ ...webhook, url: direct }, { allowPrivate: false }),
      failure('the host has no public address'),
    )
  }
})

test('only plain https URLs can be webhooks, or http if the operator allows private addresses', () => {
  const strict = { allowPrivate: false }
  assert.equal(webhookFault('https://hooks.slack.com/services/T/B/x', strict), undefined)
  for (const text of [
    '',
    'x',
    'http://a.example/',
    'ftp://a.example/',
    'https://u:p@a.example/',
    'https://a.example/#x',
  ])
    assert.match(webhookFault(text, strict) ?? '', /begins with https/, text)
  assert.match(webhookFault(`https://a.example/${'x'.repeat(500)}`, strict) ?? '', /at most 500/)
  assert.equal(webhookFault('http://10.0.0.1/', { allowPrivate: true }), undefined)
})
