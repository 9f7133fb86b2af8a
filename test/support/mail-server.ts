import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { SMTPServer } from 'smtp-server'
import { listen } from './listen.ts'

interface ReceivedMail {
  from: string
  to: string[]
  /** As it came over the wire. */
  raw: string
}

interface MailServer {
  url: string
  received: ReceivedMail[]
  /** While it is set, the server rejects every mail with this code. */
  rejectWith: number | undefined
  /** Called once, when the next mail has been received but not yet accepted. */
  beforeAccepting: (() => Promise<unknown>) | undefined
}

/** A real SMTP server on the loopback interface, which accepts the user `vitrine` with the password `secret`. */
export async function startMailServer(t: TestContext): Promise<MailServer> {
  const mailServer: MailServer = { url: '', received: [], rejectWith: undefined, beforeAccepting: undefined }
  const server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, callback) =>
      username === 'vitrine' && password === 'secret' ? callback(null, { user: username }) : callback(new Error('no')),
    async onData(stream, { envelope }, callback) {
      const raw = await text(stream)
      const { rejectWith, beforeAccepting } = mailServer
      mailServer.beforeAccepting = undefined
      await beforeAccepting?.()
      if (rejectWith !== undefined) return callback(Object.assign(new Error('rejected'), { responseCode: rejectWith }))
      const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
      mailServer.received.push({ from, to: envelope.rcptTo.map(({ address }) => address), raw })
      callback()
    },
  })
  const port = await listen(server.server)
  t.after(() => new Promise<void>((resolve) => server.close(() => resolve())))
  mailServer.url = `smtp://127.0.0.1:${port}`
  return mailServer
}
