import { isLoopback } from '../lib/network.ts'
import { UsageError } from './errors.ts'
import { printMessage } from './output.ts'

/** The URL of a server that is called with a key, from the argument or option of that name. What may be a secret is not repeated. */
export function parseServerUrl(text: string, name: string): URL {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError(`${name}: must begin with https:// or http://, such as https://vitrine.example.com`)
  if (url.username !== '' || url.password !== '')
    throw new UsageError(`${name}: must not hold a user name or password: only the key opens the API`)
  if (url.search !== '' || url.hash !== '') throw new UsageError(`${name}: must have no query and no fragment`)
  return url
}

export function warnIfUnencrypted({ protocol, hostname, origin }: URL): void {
  if (protocol === 'http:' && !isLoopback(hostname))
    printMessage(`vitrine: warning: ${origin} is not encrypted: everybody on the way can read the key; use https://`)
}
