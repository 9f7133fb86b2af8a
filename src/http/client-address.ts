import type { IncomingMessage } from 'node:http'
import { isIPv4, isIPv6, type Socket, SocketAddress } from 'node:net'

/** The prefix of an IPv4 address on an IPv6 socket (RFC 4291, 2.5.5.2). */
const MAPPED = '::ffff:'

/** An address as proxies write it: optionally quoted, in brackets, with a zone or a port. */
const FORWARDED = /^"?(?:\[([\da-f:.]+)(?:%[\w.-]+)?\](?::\d{1,5})?|([\d.]+):\d{1,5}|([\da-f:.]+)(?:%[\w.-]+)?)"?$/i

/** Each trusted proxy appends the address that it saw. The result is canonical, so that callers can be compared. */
export function clientAddress(req: IncomingMessage, trustedProxies: number): string | undefined {
  if (trustedProxies > 0) {
    const forwarded = req.headers['x-forwarded-for']
    const address = forwarded !== undefined && canonical(entryAt([forwarded].flat().join(','), trustedProxies))
    if (address) return address
  }
  return peerAddress(req.socket)
}

export function peerAddress({ remoteAddress }: Socket): string | undefined {
  return remoteAddress?.startsWith(MAPPED) ? remoteAddress.slice(MAPPED.length) : remoteAddress
}

/** Counts from the right. If the list is too short, returns its first entry. */
function entryAt(list: string, fromTheRight: number): string {
  const entries = list.split(',').flatMap((entry) => entry.trim() || [])
  return entries.at(-fromTheRight) ?? entries[0] ?? ''
}

/** Longer than any address, even with brackets, quotes, a zone and a port. */
const MAX_LENGTH = 100

export function canonical(text: string): string | undefined {
  if (isIPv4(text)) return text
  if (text.length > MAX_LENGTH) return undefined
  const [, bracketed, withPort, bare] = FORWARDED.exec(text) ?? []
  const address = bracketed ?? withPort ?? bare ?? ''
  if (isIPv4(address)) return bracketed === undefined ? address : undefined
  if (!isIPv6(address)) return undefined
  const canonicalForm = new SocketAddress({ address, family: 'ipv6' }).address
  return canonicalForm.startsWith(MAPPED) && canonicalForm.includes('.')
    ? canonicalForm.slice(MAPPED.length)
    : canonicalForm
}
