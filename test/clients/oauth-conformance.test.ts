import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freePort } from '../support/listen.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { gather, waitUntil } from '../support/wait.ts'
import { startConnectable } from './oauth/connectable.ts'
import { decide } from './oauth/person.ts'

const program = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'))

test('the official conformance suite for authorization servers passes, warnings included', async (t) => {
  const connectable = await startConnectable(t)
  const port = await freePort()
  const registered = await fetch(`${connectable.url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Conformance', redirect_uris: [`http://127.0.0.1:${port}/callback`] }),
  })
  assert.equal(registered.status, 201)
  const { client_id: clientId } = (await registered.json()) as { client_id: string }
  const folder = temporaryFolder(t)
  const { url, mcpUrl: resource } = connectable
  const options = { '--url': url, '--client-id': clientId, '--resource': resource, '-p': String(port), '-o': folder }
  const { child, output } = start(t, ['authorization', ...Object.entries(options).flat()])
  const ended = once(child, 'close')

  const shown = () => /^http\S+\/oauth\/authorize\?\S+$/m.exec(output())?.[0]
  await waitUntil(() => shown() !== undefined || child.exitCode !== null)
  const { redirect } = await decide(connectable, shown() ?? output())
  assert.equal((await fetch(redirect)).status, 200)
  const [code] = await ended
  assert.equal(code, 0, output())
  const checks = globSync(join(folder, '**/checks.json')).flatMap(
    (file) => JSON.parse(readFileSync(file, 'utf8')) as { id: string; status: string; errorMessage?: string }[],
  )
  assert.deepEqual(
    checks.map(({ id, status }) => `${id} ${status}`).sort(),
    [
      'authorization-code-grant SUCCESS',
      'authorization-server-metadata SUCCESS',
      'authorization-server-metadata-cimd SUCCESS',
    ],
    JSON.stringify(checks, null, 1),
  )
})

function start(t: TestContext, args: string[]) {
  const child = spawn(process.execPath, [program, ...args], { signal: t.signal })
  return { child, output: gather(child.stdout, child.stderr) }
}
