import { parseQuota, QUOTA_SYNTAX } from './keys/quota.ts'
import { DAY_MS, durationMs } from './lib/duration.ts'
import { asciiLowerCase, isEmail } from './lib/email.ts'
import { type Level, levels } from './lib/logger.ts'
import { isLoopback } from './lib/network.ts'
import type { Quota } from './lib/rate-windows.ts'

export function host(text: string): string {
  if (/[\s/]/.test(text)) throw new Error('must be an address or a host name, such as 127.0.0.1 or ::')
  return text
}

export function wholeNumber(min: number, max: number) {
  return (text: string): number => {
    const number = Number(text)
    if (!/^\d+$/.test(text) || number < min || number > max)
      throw new Error(`must be a whole number from ${min} to ${max}`)
    return number
  }
}

export const port = wholeNumber(0, 65_535)

export const portOrNone = (text: string): number | undefined => (text === '' ? undefined : port(text))

export function quota(text: string): Quota {
  const parsed = parseQuota(text)
  if (parsed === undefined) throw new Error(QUOTA_SYNTAX)
  return parsed
}

export function publicUrl(text: string): string {
  if (text === '') return ''
  const url = URL.parse(text)
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && !/[?#@]/.test(text)
  if (!isPlain) throw new Error('must be an http or https URL, such as https://vitrine.example.com')
  // Cookies, links and problem types all start at the root of the origin.
  if (url.pathname !== '/') throw new Error(`must not have a path; did you mean ${url.origin}?`)
  return url.origin
}

/** Between machines, tokens need TLS; on one machine, plain http is enough for trying it out. */
export const isSecureOrigin = (url: URL): boolean =>
  url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))

export function onOrOff(text: string): boolean {
  if (text !== 'on' && text !== 'off') throw new Error('must be on or off')
  return text === 'on'
}

/** Hosts, and the schemes of apps with their colon, such as `cursor:`. */
export function clientHosts(text: string): string[] {
  const entries = text.split(',').map((entry) => asciiLowerCase(entry.trim()))
  return entries.filter(Boolean).map((entry) => {
    if (/^[a-z][a-z\d+.-]*:$/.test(entry)) return entry
    const url = URL.parse(`https://${entry}`)
    if (url === null || url.port !== '' || /[/?#@\\\s]|:\d*$/.test(entry))
      throw new Error('must be comma-separated hosts without a port, or schemes, such as chatgpt.com,localhost,cursor:')
    return url.hostname
  })
}

export function issuer(text: string): string {
  if (text === '') return ''
  const url = URL.parse(text)
  if (url === null || !isSecureOrigin(url))
    throw new Error('must be the https URL of an OpenID Connect provider, such as https://login.example.com')
  return url.href
}

export function origins(text: string): string[] {
  const entries = text.split(',').map((entry) => entry.trim())
  return entries.filter(Boolean).map((entry) => {
    const url = URL.parse(entry)
    if (url === null || url.origin !== asciiLowerCase(entry).replace(/\/$/, ''))
      throw new Error('must be comma-separated origins, such as https://app.example.com,https://admin.example.com')
    return url.origin
  })
}

export const LOG_LEVELS = Object.keys(levels).join(', ')

export function logLevel(text: string): Level {
  if (!Object.hasOwn(levels, text)) throw new Error(`must be one of ${LOG_LEVELS}`)
  return text as Level
}

export function proxies(text: string): number {
  if (text === 'true') return 1
  if (text === 'false') return 0
  if (!/^\d{1,2}$/.test(text)) throw new Error('must be true, false, or the number of proxies in front')
  return Number(text)
}

/** Guards against typos: 400m instead of 400d would remove everything permanently. */
const MIN_RETENTION_DAYS = 30

export function retention(text: string): number {
  if (text === '') return 0
  const ms = durationMs(text)
  if (ms === undefined || ms < MIN_RETENTION_DAYS * DAY_MS)
    throw new Error(
      `must be a duration of at least ${MIN_RETENTION_DAYS} days, such as 400d; unset it to keep all entries`,
    )
  return ms
}

export function smtpUrl(text: string): string {
  const url = text === '' ? undefined : URL.parse(text)
  if (url === null || (url && (!/^smtps?:$/.test(url.protocol) || url.hostname === '' || url.pathname.length > 1)))
    throw new Error('must be the URL of a mail server, such as smtps://user:password@mail.example.com')
  return text
}

export function sender(text: string): string {
  const address = /^[^<>"\\\p{Cc}]*<([^<>]+)>$/u.exec(text)?.[1] ?? text
  if (text !== '' && !isEmail(address))
    throw new Error("must be an email address, or a name with one, such as 'Vitrine <vitrine@example.com>'")
  return text
}
