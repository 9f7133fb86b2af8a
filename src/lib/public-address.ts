import { promises as dns } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { isWithin } from './cidr.ts'

/** From the IANA's registries of special-purpose addresses: private, shared, local, reserved, for documentation or benchmarks. */
const SPECIAL_IPV4 =
  '0.0.0.0/8,10.0.0.0/8,100.64.0.0/10,127.0.0.0/8,169.254.0.0/16,172.16.0.0/12,192.0.0.0/24,192.0.2.0/24,192.88.99.0/24,192.168.0.0/16,198.18.0.0/15,198.51.100.0/24,203.0.113.0/24,224.0.0.0/4,240.0.0.0/4'
/** Among the global ones. 2001::/23 includes Teredo, and 2002::/16 is 6to4; both contain an IPv4 address. */
const SPECIAL_IPV6 = '2001::/23,2001:db8::/32,2002::/16,3fff::/20'
/** All others are local, reserved, multicast, or contain an IPv4 address, as `::ffff:0:0/96` and `64:ff9b::/96` do. */
const GLOBAL_IPV6 = '2000::/3'

/** Whether an address belongs to the public internet. */
export const isPublicAddress = (address: string): boolean =>
  isIP(address) === 4
    ? !isWithin(SPECIAL_IPV4, address)
    : isWithin(GLOBAL_IPV6, address) && !isWithin(SPECIAL_IPV6, address)

export type Resolve = (hostname: string) => Promise<string[]>

/** Not the system's resolver, in which a slow name server would delay look-ups for databases and identity providers. */
async function resolveAddresses(hostname: string): Promise<string[]> {
  const resolver = new dns.Resolver({ timeout: 2000, tries: 2 })
  const results = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  return results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
}

/** Connections go to the addresses that were checked, so a name server cannot name another one in between. */
export const publicLookup =
  (resolve: Resolve = resolveAddresses, isAllowed = isPublicAddress): LookupFunction =>
  (hostname, { all }, callback) => {
    const refuse = () => callback(Object.assign(new Error('no public address'), { code: 'ENOTFOUND' }), '', 0)
    resolve(hostname).then((found) => {
      const [first, ...others] = found.map((address) => ({ address, family: isIP(address) }))
      if (first === undefined || !found.every(isAllowed)) refuse()
      else if (all === true) callback(null, [first, ...others])
      else callback(null, first.address, first.family)
    }, refuse)
  }
