/** Whom an address stands for when callers are counted: one subscriber has a whole /64 of IPv6. In canonical spelling. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const [head = [], tail = []] = address.split('::').map((side) => side.split(':').filter(Boolean))
  const groups = [...head, ...Array(Math.max(0, 8 - head.length - tail.length)).fill('0'), ...tail]
  return `${groups.slice(0, 4).join(':')}::/64`
}
