import type { IncomingMessage } from 'node:http'
import { isIPv4, isIPv6, type Socket, SocketAddress } from 'node:net'

/** How an IPv6 socket shows a caller who came over IPv4 (RFC 4291, 2.5.5.2). */
const MAPPED = '::ffff:'

/** An address as proxies write it: perhaps quoted, with brackets, a zone or a port. */
const FORWARDED = /^"?(?:\[([\da-f:.]+)(?:%[\w.-]+)?\](?::\d{1,5})?|([\d.]+):\d{1,5}|([\da-f:.]+)(?:%[\w.-]+)?)"?$/i

/**
 * Who called, as far as it can be believed: each trusted proxy appends the address that it saw. One address has one
 * spelling here, because callers are counted and compared by it; what is no address counts for nothing.
 */
export function clientAddress(req: IncomingMessage, trustedProxies: number): string | undefined {
  if (trustedProxies > 0) {
    const forwarded = req.headers['x-forwarded-for']
    const address = forwarded !== undefined && canonical(entryAt([forwarded].flat().join(','), trustedProxies))
    if (address) return address
  }
  return peerAddress(req.socket)
}

/** Who is at the other end of a connection, be it a caller or a proxy. */
export function peerAddress({ remoteAddress }: Socket): string | undefined {
  return remoteAddress?.startsWith(MAPPED) ? remoteAddress.slice(MAPPED.length) : remoteAddress
}

/** The n-th entry from the right, or the first if there are fewer. */
function entryAt(list: string, fromTheRight: number): string {
  const entries = list.split(',').map((entry) => entry.trim())
  const given = entries.filter(Boolean)
  return given.at(-fromTheRight) ?? given[0] ?? ''
}

/** With brackets, quotes, a zone and a port none is longer. */
const LONGEST = 100
/** Callers come back, and to parse IPv6 takes a good part of what a request costs. When it is full it begins anew. */
const SPELLINGS_KEPT = 1000
const spellings = new Map<string, string | undefined>()

/** Undefined if the text is no address. */
export function canonical(text: string): string | undefined {
  if (isIPv4(text)) return text
  if (text.length > LONGEST) return undefined
  if (!spellings.has(text)) {
    if (spellings.size === SPELLINGS_KEPT) spellings.clear()
    spellings.set(text, parse(text))
  }
  return spellings.get(text)
}

function parse(text: string): string | undefined {
  const [, bracketed, withPort, bare] = FORWARDED.exec(text) ?? []
  const address = bracketed ?? withPort ?? bare ?? ''
  if (isIPv4(address)) return bracketed === undefined ? address : undefined
  if (!isIPv6(address)) return undefined
  const spelled = new SocketAddress({ address, family: 'ipv6' }).address
  return spelled.startsWith(MAPPED) && spelled.includes('.') ? spelled.slice(MAPPED.length) : spelled
}
