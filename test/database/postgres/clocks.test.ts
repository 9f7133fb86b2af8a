import assert from 'node:assert/strict'
import { connectElsewhere, testWithPostgres as test } from '../../support/database.ts'
import { migratedDatabaseUrl } from '../../support/migrated-database.ts'
import { Browser, createKeyOnPage, KEYS } from '../../support/person.ts'
import { program } from '../../support/program.ts'

/** Programs with it have a clock that is a day ahead. */
const AHEAD = { NODE_OPTIONS: `--import=${new URL('./day-ahead.ts', import.meta.url).href}` }

test('a replica whose clock is a day ahead accepts the same sessions, links and keys as one whose clock is right', async (t) => {
  const DATABASE_URL = await migratedDatabaseUrl(t, 'postgres')
  const right = program(t, { DATABASE_URL })
  const ahead = program(t, { DATABASE_URL, ...AHEAD })
  await right.ok('workspace', 'create', '--name', 'Acme', '--slug', 'acme')
  await right.ok('member', 'add', '--workspace', 'acme', '--email', 'a@acme.example', '--role', 'owner')
  const servers = [await right.start('serve'), await ahead.start('serve')] as const
  const elsewhere = await connectElsewhere(DATABASE_URL, t)

  /** A link created by one program and used on a server starts a session that both servers accept. */
  async function signIn(maker: typeof right, server: { url: string }): Promise<Browser[]> {
    const link = new URL(await maker.ok('member', 'link', '--email', 'a@acme.example'))
    const browser = new Browser(server.url)
    assert.equal((await browser.follow(new URL(link.pathname + link.search, server.url).href)).status, 303)
    const browsers = servers.map(({ url }) => {
      const one = new Browser(url)
      for (const [name, value] of browser.cookies) one.cookies.set(name, value)
      return one
    })
    for (const one of browsers) assert.equal((await one.get(KEYS)).status, 200)
    return browsers
  }
  await signIn(right, servers[1])
  await signIn(ahead, servers[0])
  const [, onAhead] = await signIn(right, servers[0])
  assert.ok(onAhead)

  // A 30-day key from the replica that is ahead expires 30 days from now.
  const { token } = await createKeyOnPage(onAhead, { expiry: '30' })
  for (const { url } of servers) {
    const response = await fetch(`${url}/tasks`, { headers: { authorization: `Bearer ${token}` } })
    assert.equal(response.status, 200)
  }
  const [key] = await elsewhere.all<{ hours: number }>(
    `SELECT extract(epoch FROM expires_at - now())::int / 3600 AS hours FROM api_keys`,
  )
  assert.ok(key !== undefined && key.hours >= 30 * 24 - 2 && key.hours <= 30 * 24, `${key?.hours} h`)

  // Sessions still end, by the database's clock, on both.
  await elsewhere.run(`UPDATE sessions SET seen_at = now() - interval '12 hours 1 minute'`)
  for (const { url } of servers) {
    const one = new Browser(url)
    for (const [name, value] of onAhead.cookies) one.cookies.set(name, value)
    assert.equal((await one.get(KEYS)).status, 303)
  }
})
