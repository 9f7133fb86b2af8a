import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Program, program, type Running } from '../support/program.ts'
import { openAdmitted } from '../support/raw.ts'

/** A request whose body does not arrive: a stop would wait for it. */
async function holdRequest(t: TestContext, vitrine: Program, { url }: Running): Promise<void> {
  const [workspace] = await vitrine.json('workspace', 'list')
  const key = await vitrine.ok('key', 'create', '--workspace', workspace.slug, '--label', 'x')
  const { socket } = await openAdmitted(url, key, 40)
  t.after(() => socket.destroy())
}

test('SIGHUP and SIGUSR1 do not affect a server; a second SIGINT ends it immediately, with a message', async (t) => {
  const vitrine = program(t)
  const server = await vitrine.start('serve')
  for (const ignored of ['SIGHUP', 'SIGUSR1', 'SIGHUP', 'SIGUSR1'] as const) {
    server.child.kill(ignored)
    assert.equal((await fetch(`${server.url}/healthz`)).status, 200)
  }
  await vitrine.ok('workspace', 'create', '--name', 'Acme', '--slug', 'acme')
  await holdRequest(t, vitrine, server)
  server.child.kill('SIGINT')
  await server.printed('"msg":"stopping"')
  // Ctrl+C twice within a moment counts once.
  await new Promise((resolve) => setTimeout(resolve, 150))
  assert.equal(await server.stop('SIGINT'), 1)
  assert.match(
    server.output(),
    /^vitrine: stopped immediately by a second signal \(SIGINT\); requests in flight were cut off$/m,
  )
  assert.doesNotMatch(server.output(), /"msg":"stopped"|debugger/i)
})
