/** Sends plain-text mail by SMTP. */
import type { Transporter } from 'nodemailer'
import { lazily } from '../lib/lazily.ts'

export interface MailSettings {
  /** `smtp:` or `smtps:`, with the user and password of the account. */
  smtpUrl: string
  /** An address, or a name with an address in angle brackets. */
  from: string
}

interface Mail {
  to: string
  subject: string
  text: string
  /** RFC 8058: lets mail programs unsubscribe with one POST to this URL. */
  unsubscribeUrl?: string | undefined
}

/** Resolves once the server has accepted the mail, and otherwise rejects with an error that names no address or password. */
export type SendMail = (mail: Mail) => Promise<void>

export class MailError extends Error {
  override name = 'MailError'
}

const TIMEOUT_MS = 10_000

/** Connects with the first mail, and keeps no connection open. */
export function createMailer({ smtpUrl, from }: MailSettings): SendMail {
  const transport = lazily(() => openTransport(smtpUrl))
  return async ({ to, subject, text, unsubscribeUrl }) => {
    const headers = { ...AUTOMATIC, ...(unsubscribeUrl !== undefined && unsubscribeHeaders(unsubscribeUrl)) }
    try {
      // An object is one recipient, whatever its text contains.
      await (await transport()).sendMail({ from, to: { name: '', address: to }, subject, text, headers })
    } catch (error) {
      throw new MailError(reasonOf(error as SmtpFailure))
    }
  }
}

/** Connects and signs in, and sends nothing. Rejects as sending would. */
export async function checkMailServer({ smtpUrl }: MailSettings): Promise<void> {
  const transport = await openTransport(smtpUrl)
  await transport.verify().catch((error) => Promise.reject(new MailError(reasonOf(error))))
}

async function openTransport(smtpUrl: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS }
  return createTransport({ url: smtpUrl, ...timeouts, disableFileAccess: true, disableUrlAccess: true })
}

/** RFC 3834: keeps holiday notices and other programs from replying. */
const AUTOMATIC = { 'Auto-Submitted': 'auto-generated' }

const unsubscribeHeaders = (url: string) => ({
  'List-Unsubscribe': `<${url}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
})

interface SmtpFailure {
  code?: string
  responseCode?: number
}

/** The server's own words may repeat addresses, so only the code is reported. */
function reasonOf({ code, responseCode }: SmtpFailure): string {
  if (code === 'EAUTH') return 'the mail server rejected the user or password in SMTP_URL'
  if (responseCode !== undefined) return `the mail server rejected the mail with code ${responseCode}`
  return `the mail server could not be reached (${code ?? 'unknown error'}); check SMTP_URL`
}
