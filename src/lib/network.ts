/** The network by which callers are counted: one IPv6 subscriber has a whole /64. In canonical form. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const [head = [], tail = []] = address.split('::').map((side) => side.split(':').filter(Boolean))
  const groups = [...head, ...Array(Math.max(0, 8 - head.length - tail.length)).fill('0'), ...tail]
  return `${groups.slice(0, 4).join(':')}::/64`
}

/** Names that never leave the machine (RFC 6761, 6.3) and its own addresses, with the brackets that a URL has around IPv6 or without. */
const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[?::1\]?|::ffff:127(\.\d{1,3}){3})$/i

export const isLoopback = (host: string): boolean => LOOPBACK.test(host)
