import { BlockList, isIP } from 'node:net'
import { Lru } from './lru.ts'

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

/** An address, or a network in CIDR notation. */
export const isNetwork = (entry: string): boolean => addNetwork(createLists(), entry)

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
