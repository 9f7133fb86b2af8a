import { counted } from '../../../lib/format-count.ts'
import { currentSecret } from '../../../lib/secret-file.ts'
import { StorageError } from '../../errors.ts'
import { withCheckedParameters } from './url-parameters.ts'

export interface PostgresDatabase {
  url: string
  file?: string
}

/** `primary` means not in recovery; `read-write` is a synonym. */
type Target = 'any' | 'primary'

interface Address {
  urls: string[]
  target: Target
}

/** `URL` accepts only one host. A failover pair looks like `postgres://user@a,b:5433/app?target_session_attrs=read-write`. */
export function parseAddress(text: string): Address {
  const [, scheme = '', authority = '', rest = ''] = URL_PARTS.exec(withCheckedParameters(text)) ?? []
  const at = authority.lastIndexOf('@') + 1
  const hosts = authority.slice(at).split(',')
  if (hosts.length > 1 && hosts.includes('')) throw new StorageError('names an empty host; check its commas')
  const urls = hosts.map((host) => {
    const url = URL.parse(scheme + authority.slice(0, at) + host + rest)
    if (url === null) throw new StorageError('is not a valid postgres:// URL')
    return url
  })
  const { searchParams } = urls[0] as URL
  if (searchParams.get('host')?.includes(','))
    throw new StorageError('must list several hosts before the path: postgres://user@a,b/database')
  if (urls.length > 1 && searchParams.has('host'))
    throw new StorageError('names several hosts before the path and one with host=; leave host= out')
  setPorts(urls, searchParams.get('port'))
  const target = targetOf(searchParams.get(TARGET), urls.length)
  for (const { searchParams: params } of urls) params.delete(TARGET)
  return { target, urls: urls.map(({ href }) => href) }
}

const URL_PARTS = /^(\w+:\/\/)([^/?#]*)(.*)$/s

/** As in libpq, `port=` overrides the ports next to the host names: one for all hosts, or one for each. */
function setPorts(urls: URL[], list: string | null): void {
  if (list === null) return
  const ports = list.split(',')
  if (ports.length !== 1 && ports.length !== urls.length)
    throw new StorageError(
      `has ${ports.length} ports for ${counted(urls.length, 'host')}; give one for all, or one for each`,
    )
  for (const [i, { searchParams }] of urls.entries()) searchParams.set('port', ports[i] ?? list)
}

const TARGET = 'target_session_attrs'

/** libpq accepts any server by default, but among several hosts Vitrine needs the one that accepts writes. */
function targetOf(text: string | null, hosts: number): Target {
  if (text === null) return hosts > 1 ? 'primary' : 'any'
  if (text === 'any') return 'any'
  if (text === 'read-write' || text === 'primary') return 'primary'
  throw new StorageError(
    `has an unknown ${TARGET} ${JSON.stringify(text)}; it must be read-write, primary or any, because the service writes`,
  )
}

/** All pools of a store share one host, so a key is never checked on one server and its data read from another. */
export class Hosts {
  readonly #file: string | undefined
  #text: string
  address: Address
  current = 0

  constructor({ url, file }: PostgresDatabase) {
    this.#text = url
    this.#file = file
    this.address = parseAddress(url)
  }

  get url(): string {
    return this.address.urls[this.current] ?? ''
  }

  /** Picks up a user and password that were rotated in the file. Other changes need a restart. */
  readCredentials(): void {
    const text = currentSecret(this.#text, this.#file)
    if (text === this.#text) return
    this.#text = text
    try {
      const address = parseAddress(text)
      if (addressesWithoutCredentials(address) === addressesWithoutCredentials(this.address)) this.address = address
    } catch {
      // The next start reports a URL that cannot be used.
    }
  }

  /** Another pool may already have moved on from the failed host. */
  leave(index: number): void {
    if (index === this.current) this.current = (index + 1) % this.address.urls.length
  }
}

function addressesWithoutCredentials({ urls, ...rest }: Address): string {
  const addresses = urls.map((text) => {
    const url = Object.assign(new URL(text), { username: '', password: '' })
    for (const name of ['user', 'password']) url.searchParams.delete(name)
    return url.href
  })
  return JSON.stringify({ ...rest, addresses })
}
