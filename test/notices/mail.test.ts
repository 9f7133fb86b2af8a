import assert from 'node:assert/strict'
import { checkMailServer, createMailer } from '../../src/notices/mail.ts'
import { testWith } from '../support/database.ts'
import { freePort } from '../support/listen.ts'
import { startMailServer } from '../support/mail-server.ts'

const test = testWith(startMailServer)

const from = 'Vitrine <vitrine@example.com>'
const mail = { to: 'ada@example.com', subject: 'Größe', text: 'Hello, Ada.\n' }

test('a mail arrives with its sender, recipient, subject and text', async (server) => {
  await createMailer({ smtpUrl: server.url, from })(mail)
  const [received] = server.received
  assert.deepEqual([received?.from, received?.to], ['vitrine@example.com', ['ada@example.com']])
  assert.match(received?.raw ?? '', /^From: Vitrine <vitrine@example.com>\r$/m)
  assert.match(received?.raw ?? '', /^Subject: =\?UTF-8\?/m)
  assert.match(received?.raw ?? '', /Hello, Ada\./)
})

test('the account in the URL is used, and a wrong password is reported without it', async ({ url, received }) => {
  const withAccount = (password: string) => url.replace('//', `//vitrine:${password}@`)
  await createMailer({ smtpUrl: withAccount('secret'), from })(mail)
  assert.equal(received.length, 1)
  await assert.rejects(createMailer({ smtpUrl: withAccount('wrong'), from })(mail), {
    name: 'MailError',
    message: 'the mail server rejected the user or password in SMTP_URL',
  })
})

test('one recipient stays one, and headers cannot be added', async ({ url, received }) => {
  const send = createMailer({ smtpUrl: url, from })
  await send({ ...mail, subject: 'a\r\nBcc: eve@example.com' })
  await send({ ...mail, to: 'ada@example.com, eve@example.com' }).catch(() => {})
  assert.ok(received.every(({ to }) => to.length === 1 && to[0] !== 'eve@example.com'))
  assert.doesNotMatch(received[0]?.raw ?? '', /^Bcc:/m)
})

test('every mail says that a program sent it', async ({ url, received }) => {
  await createMailer({ smtpUrl: url, from })(mail)
  assert.match(received[0]?.raw ?? '', /^Auto-Submitted: auto-generated\r$/m)
})

test('mail programs can unsubscribe with one request', async ({ url, received }) => {
  await createMailer({ smtpUrl: url, from })({ ...mail, unsubscribeUrl: 'https://v.example/u/abc' })
  assert.match(received[0]?.raw ?? '', /^List-Unsubscribe: <https:\/\/v\.example\/u\/abc>\r$/m)
  assert.match(received[0]?.raw ?? '', /^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m)
})

test('a server that rejects mail or is unreachable is reported by its code', async (server) => {
  server.rejectWith = 451
  await assert.rejects(createMailer({ smtpUrl: server.url, from })(mail), {
    message: 'the mail server rejected the mail with code 451',
  })
  const away = `smtp://127.0.0.1:${await freePort()}`
  await assert.rejects(createMailer({ smtpUrl: away, from })(mail), {
    message: 'the mail server could not be reached (ESOCKET); check SMTP_URL',
  })
})

test('a mail server is checked without sending anything', async ({ url, received }) => {
  await checkMailServer({ smtpUrl: url, from })
  assert.equal(received.length, 0)
  const wrong = { smtpUrl: url.replace('//', '//vitrine:wrong@'), from }
  await assert.rejects(checkMailServer(wrong), { name: 'MailError', message: /user or password/ })
  const away = { smtpUrl: `smtp://127.0.0.1:${await freePort()}`, from }
  await assert.rejects(checkMailServer(away), { name: 'MailError', message: /could not be reached/ })
})
