import { readFileSync } from 'node:fs'
import { StorageError } from '../../errors.ts'

const VALUES: Record<string, string[]> = {
  sslmode: ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'],
  sslnegotiation: ['postgres', 'direct'],
  uselibpqcompat: ['true', 'false'],
}
const FILES = ['sslrootcert', 'sslcert', 'sslkey']

/** Parameters that have an effect here. hosts.ts checks the values of the last one. */
const KNOWN = [
  ...Object.keys(VALUES),
  ...FILES,
  ...'host port user password options application_name target_session_attrs'.split(' '),
]

/** Providers put these into their URLs. They have no effect here, and are ignored. */
const HARMLESS = [
  ...'channel_binding connect_timeout fallback_application_name gssencmode load_balance_hosts pgbouncer'.split(' '),
  ...'client_encoding keepalives keepalives_idle keepalives_interval keepalives_count tcp_user_timeout'.split(' '),
]

/** Returns the URL for the driver. Without this check, a misspelt sslmode would disable TLS. */
export function withCheckedParameters(url: string): string {
  const at = url.indexOf('?')
  if (at === -1) return url
  const parameters = new URLSearchParams(url.slice(at + 1))
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
  // There is one port for all hosts, or one for each.
  if (!(parameters.get('port') ?? '5432').split(',').every(isPort))
    throw new StorageError('has a port that is not a number from 1 to 65535')
  checkFiles(parameters)
  const mode = parameters.get('sslmode') ?? ''
  if (parameters.get('uselibpqcompat') !== 'true') {
    // The driver also treats these as verify-full, but prints a long warning about it.
    if (['prefer', 'require', 'verify-ca'].includes(mode)) parameters.set('sslmode', 'verify-full')
  } else if (mode === 'verify-ca' && !parameters.has('sslrootcert'))
    throw new StorageError('has sslmode=verify-ca, which also needs sslrootcert=<file>')
  return `${url.slice(0, at)}?${parameters}`
}

const isPort = (text: string) => /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535

/** Runs before the first connection, because the driver would throw an error that cannot be caught. */
function checkFiles(parameters: URLSearchParams): void {
  const [ca, cert, key] = FILES.map((name) => readParameterFile(name, parameters.get(name)))
  if ((cert === undefined) !== (key === undefined))
    throw new StorageError('has one of sslcert and sslkey without the other')
  if (ca === undefined && cert === undefined) return
  try {
    // Loaded on demand: most commands use SQLite, and start faster without it.
    process.getBuiltinModule('node:tls').createSecureContext({ ca, cert, key })
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
