import { isIP } from 'node:net'
import { holdsKey } from '../lib/redact.ts'
import { InvalidValueError } from '../lib/user-error.ts'

/** Where the deployment is, and whom to trust there besides the usual authorities. */
export interface Target {
  /** Without a path: the contract's paths stand at the root. */
  url: URL
  /** PEM certificates. */
  ca?: string
}

/** The base URL of a deployment. Throws what it must be, without repeating what may be a secret. */
export function parseTargetUrl(text: string): URL {
  if (holdsKey(text)) throw new InvalidValueError(KEY_AS_ARGUMENT)
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new InvalidValueError('the URL must begin with https:// or http://, such as https://vitrine.example.com')
  if (url.username !== '' || url.password !== '')
    throw new InvalidValueError('the URL must not hold a user name or password: only the key opens the API')
  if (url.search !== '' || url.hash !== '') throw new InvalidValueError('the URL must have no query and no fragment')
  if (url.pathname !== '/')
    throw new InvalidValueError(
      `the URL must have no path: the API stands at the root of its host, so give ${url.origin}`,
    )
  return url
}

export const KEY_AS_ARGUMENT =
  'a key must not be an argument: every user of this machine can see it, and the shell keeps it; ' +
  'put it into VITRINE_KEY or a file named by VITRINE_KEY_FILE, or pipe it in, and revoke the one you typed'

/** A key that travels unencrypted to such a host does not leave this machine. */
export const isLoopback = ({ hostname }: URL): boolean => {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  if (host === 'localhost' || host.endsWith('.localhost') || host === '::1') return true
  return isIP(host) === 4 && host.startsWith('127.')
}
