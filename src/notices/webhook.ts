import { createHmac, randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import { ConnectionError, connectionError } from '../lib/connection-failures.ts'
import { isPublicAddress, publicLookup, type Resolve } from '../lib/public-address.ts'
import { REDACTED } from '../lib/redact.ts'
import { version } from '../version.ts'

const TIMEOUT_MS = 5000
const MAX_URL_LENGTH = 500

export interface WebhookOptions {
  /** Allows private addresses and plain http. */
  allowPrivate: boolean
  /** For tests, which cannot have a public address or certificate. */
  isAllowed?: (address: string) => boolean
  resolve?: Resolve
  ca?: string
  timeoutMs?: number
}

export const createSigningSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

/** Why a URL cannot be a webhook. A name may still have a private address, which is checked for each delivery. */
export function webhookFault(text: string, options: WebhookOptions): string | undefined {
  const { allowPrivate, isAllowed = isPublicAddress } = options
  const url = text.length <= MAX_URL_LENGTH ? URL.parse(text) : null
  const isWeb = url?.protocol === 'https:' || (allowPrivate && url?.protocol === 'http:')
  if (url === null || !isWeb || url.username !== '' || url.password !== '' || url.hash !== '')
    return `Type a URL that begins with https://, without a user or fragment, of at most ${MAX_URL_LENGTH} characters.`
  if (text.includes(REDACTED)) return `Type the whole URL again: a part of it was not kept, and appears as ${REDACTED}.`
  // Node.js does not resolve a host that is an address.
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const isPrivate = isIP(host) !== 0 && !allowPrivate && !isAllowed(host)
  return isPrivate ? 'Type the URL of a host with a public address.' : undefined
}

interface Webhook {
  url: string
  secret: string
  /** Does not change between attempts. */
  id: string
  body: string
}

/** As in Standard Webhooks, version 1. */
function signatureOf({ secret, id, body }: Webhook, timestamp: number): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
}

/** Resolves if the receiver responds with a 2xx status. Its body is not read, and redirects are not followed. */
export async function sendWebhook(webhook: Webhook, options: WebhookOptions): Promise<void> {
  const { allowPrivate, isAllowed, resolve, ca, timeoutMs = TIMEOUT_MS } = options
  if (webhookFault(webhook.url, options) !== undefined) throw new ConnectionError('the host has no public address')
  // Loads TLS, which few servers need.
  const { sendRequest } = await import('../lib/http-client.ts')
  const timestamp = Math.floor(Date.now() / 1000)
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(webhook.body),
    'user-agent': `vitrine/${version}`,
    'webhook-id': webhook.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatureOf(webhook, timestamp),
  }
  const signal = AbortSignal.timeout(timeoutMs)
  const lookup = allowPrivate ? {} : { lookup: publicLookup(resolve, isAllowed) }
  const request = { method: 'POST', headers, agent: false, signal, ca, ...lookup } as const
  const { sent, head } = sendRequest(new URL(webhook.url), request, (sent) => sent.end(webhook.body))
  const { statusCode = 0 } = await head.catch((error) => {
    throw signal.aborted
      ? new ConnectionError(`no response within ${timeoutMs / 1000} seconds`)
      : connectionError(error)
  })
  sent.destroy()
  if (statusCode < 200 || statusCode > 299)
    throw new ConnectionError(`the receiver responded with ${statusCode}${statusCode < 400 ? ', a redirect' : ''}`)
}
