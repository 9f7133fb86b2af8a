import type { IncomingMessage } from 'node:http'

/** Who called, as far as it can be believed: each trusted proxy appends the address that it saw. */
export function clientAddress(req: IncomingMessage, trustedProxies: number): string | undefined {
  const seen = req.socket.remoteAddress
  if (trustedProxies === 0) return seen
  const forwarded = [req.headers['x-forwarded-for']].flat().join(',').split(',')
  const addresses = forwarded.map((address) => address.trim()).filter(Boolean)
  return addresses.at(-trustedProxies) ?? addresses[0] ?? seen
}
