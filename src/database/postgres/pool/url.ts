import { readFileSync } from 'node:fs'
import { currentSecret } from '../../../lib/secret-file.ts'
import { StorageError } from '../../errors.ts'

export interface PostgresDatabase {
  url: string
  file?: string
}

const VALUES: Record<string, string[]> = {
  sslmode: ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'],
  sslnegotiation: ['postgres', 'direct'],
  uselibpqcompat: ['true', 'false'],
}
const FILES = ['sslrootcert', 'sslcert', 'sslkey']

/** Parameters that have an effect here. */
const KNOWN = [
  ...[...Object.keys(VALUES), ...FILES],
  ...['host', 'port', 'user', 'password', 'options', 'application_name'],
]

/** Providers put these into their URLs. They have no effect here, and are ignored. */
const HARMLESS = [
  ...'channel_binding connect_timeout fallback_application_name gssencmode load_balance_hosts pgbouncer'.split(' '),
  ...'client_encoding keepalives keepalives_idle keepalives_interval keepalives_count tcp_user_timeout'.split(' '),
  'target_session_attrs',
]

/** Returns the URL for the driver. Without this check, a misspelt sslmode would disable TLS, and a faulty file would end the process. */
export function checkedUrl(text: string): URL {
  const url = URL.parse(text)
  // A password may contain commas.
  if (/^\w+:\/\/[^/?#]*,[^/?#@]*(?:[/?#]|$)/.test(text) || url?.searchParams.get('host')?.includes(','))
    throw new StorageError('names several hosts; name one, such as the address that your cluster moves on a failover')
  if (url === null) throw new StorageError('is not a valid postgres:// URL')
  const { searchParams: parameters } = url
  for (const name of parameters.keys()) {
    if (!KNOWN.includes(name) && !HARMLESS.includes(name))
      throw new StorageError(`has an unknown parameter ${JSON.stringify(name)}; the known ones are ${KNOWN.join(', ')}`)
    if (KNOWN.includes(name) && parameters.getAll(name).length > 1)
      throw new StorageError(`has ${name} more than once; give it once`)
  }
  for (const [name, allowed] of Object.entries(VALUES)) {
    const value = parameters.get(name)
    if (value !== null && !allowed.includes(value))
      throw new StorageError(`has an unknown ${name} ${JSON.stringify(value)}; use one of ${allowed.join(', ')}`)
  }
  const port = parameters.get('port') ?? '5432'
  if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535)
    throw new StorageError('has a port that is not a number from 1 to 65535')
  checkFiles(parameters)
  const mode = parameters.get('sslmode') ?? ''
  if (parameters.get('uselibpqcompat') !== 'true') {
    // The driver also treats these as verify-full, but prints a long warning about it.
    if (['prefer', 'require', 'verify-ca'].includes(mode)) parameters.set('sslmode', 'verify-full')
  } else if (mode === 'verify-ca' && !parameters.has('sslrootcert'))
    throw new StorageError('has sslmode=verify-ca, which also needs sslrootcert=<file>')
  return url
}

function checkFiles(parameters: URLSearchParams): void {
  const [ca, cert, key] = FILES.map((name) => readParameterFile(name, parameters.get(name)))
  try {
    // Loaded on demand: most commands use SQLite, and start faster without it.
    if (ca || cert || key) process.getBuiltinModule('node:tls').createSecureContext({ ca, cert, key })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new StorageError(`names unusable TLS files (${code}); check sslrootcert, sslcert and sslkey`)
  }
}

function readParameterFile(name: string, path: string | null): Buffer | undefined {
  if (path === null) return undefined
  try {
    return readFileSync(path)
  } catch {
    throw new StorageError(`names an unreadable file in ${name}: ${path}`)
  }
}

/** Returns the URL for a new connection, with the user and password that its file then has. Other changes need a restart. */
export function currentUrl({ url, file }: PostgresDatabase): () => string {
  let text = url
  let checked = checkedUrl(url)
  return () => {
    const found = currentSecret(text, file)
    if (found === text) return checked.href
    text = found
    try {
      const changed = checkedUrl(found)
      if (withoutCredentials(changed) === withoutCredentials(checked)) checked = changed
    } catch {
      // The next start reports a URL that cannot be used.
    }
    return checked.href
  }
}

function withoutCredentials({ href }: URL): string {
  const url = Object.assign(new URL(href), { username: '', password: '' })
  for (const name of ['user', 'password']) url.searchParams.delete(name)
  return url.href
}
