import { isIPv4, isIPv6, SocketAddress } from 'node:net'
import { RecentlyUsed } from './recently-used.ts'

const MAX_NETWORKS = 50

export const NETWORKS_FORM = `must be at most ${MAX_NETWORKS} addresses or networks in CIDR notation, separated by commas, such as 203.0.113.0/24,2001:db8::/32`

interface Address {
  bits: 32 | 128
  value: bigint
}

interface Network extends Address {
  prefix: number
}

/** Separated by commas or white space. Null if the text is empty, which means everywhere; undefined if any entry is invalid. */
export function parseNetworks(text: string): string[] | null | undefined {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '')
  const networks = entries.map(parseNetwork)
  if (networks.some((network) => network === undefined)) return undefined
  const normal = [...new Set(networks.map((network) => formatNetwork(network as Network)))]
  if (normal.length > MAX_NETWORKS) return undefined
  return normal.length === 0 ? null : normal
}

/** Parsing takes longer than the rest of a request's admission. */
const knownLists = new RecentlyUsed<Network[]>(1000)
const knownAddresses = new RecentlyUsed<{ parsed: Address | undefined }>(1000)

/** `networks` is the comma-separated text in the database. An entry or address that cannot be parsed matches nothing. */
export function isWithin(networks: string, address: string | undefined): boolean {
  if (address === undefined) return false
  const { parsed: sought } = knownAddresses.getOrCreate(address, () => ({
    parsed: parseAddress(address.replace(/%.*$/, '')),
  }))
  if (sought === undefined) return false
  const list = knownLists.getOrCreate(networks, () => networks.split(',').flatMap((entry) => parseNetwork(entry) ?? []))
  return list.some(({ bits, value, prefix }) => {
    const rest = BigInt(bits - prefix)
    return bits === sought.bits && value >> rest === sought.value >> rest
  })
}

function parseNetwork(text: string): Network | undefined {
  const [, host = '', length] = /^([\da-f:.]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? []
  const address = parseAddress(host)
  if (address === undefined) return undefined
  const written = isIPv4(host) ? 32 : 128
  // The prefix of an IPv4 address in IPv6 notation includes the 96 bits before it.
  const prefix = Number(length ?? written) - (written - address.bits)
  return prefix >= 0 && prefix <= address.bits ? { ...address, prefix } : undefined
}

/** An IPv4 address in IPv6 notation (::ffff:192.0.2.1) is an IPv4 address. */
function parseAddress(text: string): Address | undefined {
  if (isIPv4(text)) return { bits: 32, value: toNumber(text.split('.').map(Number), 8n) }
  if (!isIPv6(text) || text.includes('%')) return undefined
  const hexadecimal = text.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number)
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  })
  const [start = [], end = []] = hexadecimal
    .split('::')
    .map((part) => part.split(':').flatMap((word) => (word === '' ? [] : Number.parseInt(word, 16))))
  const value = toNumber([...start, ...new Array<number>(8 - start.length - end.length).fill(0), ...end], 16n)
  return value >> 32n === 0xffffn ? { bits: 32, value: value & 0xffffffffn } : { bits: 128, value }
}

const toNumber = (parts: readonly number[], bits: bigint): bigint =>
  parts.reduce((value, part) => (value << bits) | BigInt(part), 0n)

function formatNetwork({ bits, value, prefix }: Network): string {
  const rest = BigInt(bits - prefix)
  const first = (value >> rest) << rest
  const [size, base, separator] = bits === 32 ? [8n, 10, '.'] : [16n, 16, ':']
  const parts = Array.from({ length: bits / Number(size) }, (_, index) =>
    ((first >> (BigInt(bits) - size * BigInt(index + 1))) & ((1n << size) - 1n)).toString(base),
  )
  const family = bits === 32 ? 'ipv4' : 'ipv6'
  return `${new SocketAddress({ address: parts.join(separator), family }).address}/${prefix}`
}
