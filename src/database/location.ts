import { resolve } from 'node:path'
import type { Database } from './open.ts'
import { parseAddress } from './postgres/hosts.ts'

/** Where the data lies, for people: the file's whole path, or the database and its hosts, without user and password. */
export function locationOf(database: Database): string {
  if (database.engine === 'sqlite') return resolve(database.path)
  const urls = parseAddress(database.url).urls.map((url) => new URL(url))
  const hosts = urls.map(({ hostname, port, searchParams }) => {
    // What a URL leaves out, the driver takes from these variables, as psql does.
    const host = searchParams.get('host') ?? (hostname || process.env.PGHOST || 'localhost')
    return `${decoded(host)}:${searchParams.get('port') ?? (port || process.env.PGPORT || '5432')}`
  })
  const name = decoded(urls[0]?.pathname.slice(1) || process.env.PGDATABASE || '')
  return `${name === '' ? "the user's database" : `the database ${name}`} of PostgreSQL at ${hosts.join(', ')}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
