import { parseDatabaseUrl } from './database/open.ts'
import type { Quota } from './database/store.ts'
import { type CredentialSettings, parseHeader, parseToken } from './import/credentials.ts'
import { parseQuota, QUOTA_FORM } from './keys/quota.ts'
import { asciiLowerCase } from './lib/email.ts'
import { parseLifecycle } from './lifecycle.ts'
import type { OidcSettings } from './members/identity-provider.ts'

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** A setting that cannot be used; the message names it and says what it must be. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

export type Environment = Readonly<Record<string, string | undefined>>

interface Setting<T> {
  default: string
  help: string
  /** Throws an Error whose message says what the value must be. */
  parse(text: string): T
}

/** Every setting; `vitrine serve --help` and the search for misspelt names read this table. */
export const settings = {
  HOST: { default: '127.0.0.1', help: 'address to listen on', parse: host },
  PORT: { default: '3000', help: 'port to listen on; 0 for any free port', parse: wholeNumber(0, 65_535) },
  DATABASE_URL: {
    default: 'sqlite:data/vitrine.db',
    help: 'sqlite:<file> or postgres://user@host/database',
    parse: parseDatabaseUrl,
  },
  RATE_LIMIT: { default: '600;w=60', help: 'default quota of a key', parse: quota },
  PUBLIC_URL: { default: '', help: 'URL at which clients reach the service, without a path', parse: publicUrl },
  ALLOWED_ORIGINS: { default: '', help: 'comma-separated web origins that may call /mcp', parse: origins },
  LOG_LEVEL: { default: 'info', help: logLevels.join(', '), parse: logLevel },
  LIFECYCLE: { default: '{}', help: 'deprecated paths, as JSON', parse: parseLifecycle },
  TRUST_PROXY: { default: '0', help: 'number of proxies in front that add to X-Forwarded-For', parse: proxies },
  DRAIN_SECONDS: {
    default: '0',
    help: 'how long /readyz says that the server will stop, before it does',
    parse: wholeNumber(0, 300),
  },
  CACHE_MIB: { default: '64', help: 'memory for cached responses, in MiB', parse: wholeNumber(1, 65_536) },
  WORKERS: { default: '1', help: 'number of threads that serve', parse: wholeNumber(1, 64) },
  OIDC_ISSUER: { default: '', help: 'OpenID Connect provider for the settings page', parse: issuer },
  OIDC_CLIENT_ID: { default: '', help: 'client id at that provider', parse: String },
  OIDC_CLIENT_SECRET: { default: '', help: 'client secret at that provider', parse: String },
  SYNC_TOKEN: { default: '', help: 'bearer token for the URL of a sync', parse: parseToken },
  SYNC_TOKEN_FILE: { default: '', help: 'file that holds this token', parse: String },
  SYNC_HEADER: { default: '', help: "header for the URL of a sync, as 'Name: value'", parse: parseHeader },
  SYNC_HEADER_FILE: { default: '', help: 'file that holds this header', parse: String },
} satisfies Record<string, Setting<unknown>>

export function readSetting<Name extends keyof typeof settings>(
  environment: Environment,
  name: Name,
): ReturnType<(typeof settings)[Name]['parse']> {
  const setting = settings[name] as Setting<ReturnType<(typeof settings)[Name]['parse']>>
  const given = environment[name]?.trim()
  try {
    return setting.parse(given === undefined || given === '' ? setting.default : given)
  } catch (error) {
    throw new ConfigError(`${name}: ${(error as Error).message}`)
  }
}

export type Config = ReturnType<typeof readConfig>

export function readConfig(environment: Environment) {
  return {
    host: readSetting(environment, 'HOST'),
    port: readSetting(environment, 'PORT'),
    database: readSetting(environment, 'DATABASE_URL'),
    quota: readSetting(environment, 'RATE_LIMIT'),
    /** An origin without a slash at the end; empty if not set. */
    publicUrl: readSetting(environment, 'PUBLIC_URL'),
    allowedOrigins: readSetting(environment, 'ALLOWED_ORIGINS'),
    logLevel: readSetting(environment, 'LOG_LEVEL'),
    lifecycle: readSetting(environment, 'LIFECYCLE'),
    trustedProxies: readSetting(environment, 'TRUST_PROXY'),
    drainSeconds: readSetting(environment, 'DRAIN_SECONDS'),
    cacheBytes: readSetting(environment, 'CACHE_MIB') * 1024 * 1024,
    workers: readSetting(environment, 'WORKERS'),
    /** Undefined if people sign in with links only. */
    oidc: readOidc(environment),
  }
}

/** Not for servers, which must not know them. Each is given itself or as a file: of both, one would be ignored silently. */
export function readSyncCredentials(environment: Environment): CredentialSettings {
  const credentials = {
    token: readSetting(environment, 'SYNC_TOKEN'),
    tokenFile: readSetting(environment, 'SYNC_TOKEN_FILE'),
    header: readSetting(environment, 'SYNC_HEADER'),
    headerFile: readSetting(environment, 'SYNC_HEADER_FILE'),
  }
  const { token, tokenFile, header, headerFile } = credentials
  if (token !== '' && tokenFile !== '') throw new ConfigError('SYNC_TOKEN_FILE: must not be set with SYNC_TOKEN')
  if (header !== '' && headerFile !== '') throw new ConfigError('SYNC_HEADER_FILE: must not be set with SYNC_HEADER')
  return credentials
}

/** All three or none: an incomplete set would only fail at the first sign-in. */
function readOidc(environment: Environment): OidcSettings | undefined {
  const names = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const
  const [issuerUrl, clientId, clientSecret] = names.map((name) => readSetting(environment, name))
  if (!issuerUrl && !clientId && !clientSecret) return undefined
  if (!issuerUrl || !clientId || !clientSecret)
    throw new ConfigError(
      `${names.find((name) => !environment[name]?.trim())}: must be set too; ${names.join(', ')} go together`,
    )
  if (readSetting(environment, 'PUBLIC_URL') === '')
    throw new ConfigError('PUBLIC_URL: must be set with OIDC_ISSUER; the provider sends people back to it')
  return { issuer: issuerUrl, clientId, clientSecret }
}

function host(text: string): string {
  if (/[\s/]/.test(text)) throw new Error('must be an address or a host name, such as 127.0.0.1 or ::')
  return text
}

function wholeNumber(min: number, max: number) {
  return (text: string): number => {
    const number = Number(text)
    if (!/^\d+$/.test(text) || number < min || number > max)
      throw new Error(`must be a whole number from ${min} to ${max}`)
    return number
  }
}

function quota(text: string): Quota {
  const parsed = parseQuota(text)
  if (parsed === undefined) throw new Error(QUOTA_FORM)
  return parsed
}

function publicUrl(text: string): string {
  if (text === '') return ''
  const url = URL.parse(text)
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username
  if (!isPlain) throw new Error('must be an http or https URL, such as https://vitrine.example.com')
  // Cookies, links and problem types all start at the root of the origin.
  if (url.pathname !== '/') throw new Error(`must have no path; did you mean ${url.origin}?`)
  return url.origin
}

function issuer(text: string): string {
  if (text === '') return ''
  const url = URL.parse(text)
  const isLoopback = url !== null && /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname)
  if (url === null || (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback)))
    throw new Error('must be the https URL of an OpenID Connect provider, such as https://login.example.com')
  return url.href
}

function origins(text: string): string[] {
  const entries = text.split(',').map((entry) => entry.trim())
  return entries.filter(Boolean).map((entry) => {
    const url = URL.parse(entry)
    if (url === null || url.origin !== asciiLowerCase(entry).replace(/\/$/, ''))
      throw new Error('must be comma-separated origins, such as https://app.example.com,https://admin.example.com')
    return url.origin
  })
}

function logLevel(text: string) {
  const level = logLevels.find((known) => known === text)
  if (level === undefined) throw new Error(`must be one of ${logLevels.join(', ')}`)
  return level
}

function proxies(text: string): number {
  if (text === 'true') return 1
  if (text === 'false') return 0
  if (!/^\d{1,2}$/.test(text)) throw new Error('must be true, false, or the number of proxies in front')
  return Number(text)
}
