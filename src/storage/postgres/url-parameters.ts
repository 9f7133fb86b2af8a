import { accessSync, constants } from 'node:fs'
import { StorageError } from '../store.ts'

const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']
const FILES = ['sslrootcert', 'sslcert', 'sslkey']

/** What has an effect here. */
const KNOWN = [
  'sslmode',
  ...FILES,
  'uselibpqcompat',
  'sslnegotiation',
  'host',
  'port',
  'user',
  'password',
  'options',
  'application_name',
  'client_encoding',
  'target_session_attrs',
  'connect_timeout',
]

/** What hosts of PostgreSQL put into the URLs they hand out: it has no effect here, and does no harm. */
const HARMLESS = [
  'channel_binding',
  'fallback_application_name',
  'gssencmode',
  'keepalives',
  'keepalives_idle',
  'keepalives_interval',
  'keepalives_count',
  'load_balance_hosts',
  'tcp_user_timeout',
  'pgbouncer',
]

/**
 * Checks what stands after the question mark of a postgres:// URL, and gives the URL as the driver is to have it. A
 * misspelt sslmode would otherwise be no TLS at all.
 */
export function withCheckedParameters(url: string): string {
  const at = url.indexOf('?')
  if (at === -1) return url
  const parameters = new URLSearchParams(url.slice(at + 1))
  for (const name of parameters.keys()) {
    if (!KNOWN.includes(name) && !HARMLESS.includes(name))
      throw new StorageError(`has an unknown parameter ${JSON.stringify(name)}; known are ${KNOWN.join(', ')}`)
    if (KNOWN.includes(name) && parameters.getAll(name).length > 1)
      throw new StorageError(`has ${name} more than once; give it once`)
  }
  const mode = parameters.get('sslmode')
  if (mode !== null && !SSL_MODES.includes(mode))
    throw new StorageError(`has an unknown sslmode ${JSON.stringify(mode)}; use one of ${SSL_MODES.join(', ')}`)
  // One port, or one for each of several hosts.
  if (!/^\d{1,5}(,\d{1,5})*$/.test(parameters.get('port') ?? '5432'))
    throw new StorageError('has a port that is not a number')
  for (const name of FILES) checkFile(name, parameters.get(name))
  // The driver takes these for verify-full too, and prints a page of warnings about it.
  if (['prefer', 'require', 'verify-ca'].includes(mode ?? '') && parameters.get('uselibpqcompat') !== 'true')
    parameters.set('sslmode', 'verify-full')
  return `${url.slice(0, at)}?${parameters}`
}

function checkFile(name: string, path: string | null): void {
  if (path === null) return
  try {
    accessSync(path, constants.R_OK)
  } catch {
    throw new StorageError(`names a file with ${name} that cannot be read: ${path}`)
  }
}
