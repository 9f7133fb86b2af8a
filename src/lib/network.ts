/** Callers are counted by network, because an IPv6 subscriber has a whole /64. Expects the canonical form. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const [head = [], tail = []] = address.split('::').map((side) => side.split(':').filter(Boolean))
  const groups = [...head, ...Array(Math.max(0, 8 - head.length - tail.length)).fill('0'), ...tail]
  return `${groups.slice(0, 4).join(':')}::/64`
}

/** RFC 6761, 6.3, and loopback addresses, with or without a URL's brackets around IPv6. */
const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[?::1\]?|::ffff:127(\.\d{1,3}){3})$/i

export const isLoopback = (host: string): boolean => LOOPBACK.test(host)
