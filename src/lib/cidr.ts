import { BlockList, isIP } from 'node:net'
import { Lru } from './lru.ts'
import { networkOf } from './network.ts'
import { clip } from './plain-text.ts'

const MAX_NETWORKS = 50
const MAX_SHOWN = 60

export const NETWORKS_SYNTAX = `must be at most ${MAX_NETWORKS} addresses or networks in CIDR notation, separated by commas, such as 203.0.113.0/24,2001:db8::/32`

/** Separated by commas or white space. Null if the text is empty, which means everywhere; undefined if any entry is invalid. */
export function parseNetworks(text: string): string[] | null | undefined {
  const entries = new Set(text.toLowerCase().match(/[^\s,]+/g))
  if (entries.size > MAX_NETWORKS) return undefined
  const lists = createLists()
  for (const entry of entries) if (!addNetwork(lists, entry)) return undefined
  return entries.size === 0 ? null : [...entries]
}

/** Names the first entry that is not valid. */
export function networksFault(text: string): string {
  const wrong = text
    .toLowerCase()
    .match(/[^\s,]+/g)
    ?.find((entry) => !addNetwork(createLists(), entry))
  return wrong === undefined ? NETWORKS_SYNTAX : `${NETWORKS_SYNTAX}; “${clip(wrong, MAX_SHOWN)}” is neither`
}

/** Separate lists, because a BlockList treats IPv4 addresses as part of `::/0`. */
const createLists = () => ({ 4: new BlockList(), 6: new BlockList() })

function addNetwork(lists: ReturnType<typeof createLists>, entry: string): boolean {
  const [, address = '', length] = /^([\da-f:.]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? []
  const family = isIP(address)
  if (family !== 4 && family !== 6) return false
  const bits = family === 4 ? 32 : 128
  const prefix = Number(length ?? bits)
  // Callers with an IPv4 address on an IPv6 socket are known by their IPv4 address.
  if (prefix > bits || address.startsWith('::ffff:')) return false
  lists[family].addSubnet(address, prefix, `ipv${family}`)
  return true
}

/** Building a list takes longer than the rest of a request's admission. */
const knownLists = new Lru<ReturnType<typeof createLists>>(1000)

/** `networks` is the comma-separated text in the database. An entry or address that cannot be parsed matches nothing. */
export function isWithin(networks: string, caller = ''): boolean {
  const address = caller.replace(/%.*$/, '')
  const family = isIP(address)
  if (family !== 4 && family !== 6) return false
  const lists = knownLists.getOrCreate(networks, () => {
    const created = createLists()
    for (const entry of networks.split(',')) addNetwork(created, entry)
    return created
  })
  return lists[family].check(address, `ipv${family}`)
}

const MAX_OFFERED = 10

/** The networks of addresses that are not allowed yet. */
export function offeredNetworks(addresses: readonly string[], allowed: readonly string[] | null): string[] {
  const offered: string[] = []
  for (const address of addresses)
    if (isIP(address) > 0 && !isWithin([...(allowed ?? []), ...offered].join(','), address))
      offered.push(shortened(networkOf(address)))
  return offered.slice(0, MAX_OFFERED)
}

/** 2001:db8::/64 for 2001:db8:0:0::/64. */
const shortened = (network: string): string => network.replace(/(?:^0|:0)+::/, '::')
