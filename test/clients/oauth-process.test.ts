import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freePort } from '../support/listen.ts'
import { acmeProgram } from '../support/program.ts'
import { authorizationUrl, libraries } from './oauth/libraries.ts'
import { MemoryProvider } from './oauth/memory-provider.ts'
import { decide } from './oauth/person.ts'

const EMAIL = 'ana@acme.example'

test('an agent is connected to `vitrine serve` in a separate process, and disconnected by `vitrine key revoke`', async (t) => {
  const [library] = libraries
  assert.ok(library)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const vitrine = await acmeProgram(t, { PUBLIC_URL: url, PORT: String(port) })
  await vitrine.ok('member', 'add', '--workspace', 'acme', '--email', EMAIL, '--role', 'owner')
  const { output } = await vitrine.start('serve')
  const signInLink = async () => {
    const printed = await vitrine.ok('member', 'link', '--email', EMAIL)
    return /http\S+/.exec(printed)?.[0] ?? assert.fail(printed)
  }
  const provider = new MemoryProvider('http://127.0.0.1:3117/callback')
  const { opened, authorization } = await authorizationUrl(t, library, `${url}/v2/mcp`, provider)
  const { redirect } = await decide({ url, signInLink }, authorization)
  await opened.finish(redirect.searchParams)
  const agent = library.open(t, `${url}/v2/mcp`, provider)
  await agent.connect()
  await agent.callTool('get_workspace')

  const [key] = await vitrine.json('key', 'list', '--workspace', 'acme')
  assert.equal(key.label, 'Stock agent')
  const { access_token: access, refresh_token: refresh = '' } = provider.issued
  await vitrine.ok('key', 'revoke', key.id)
  await assert.rejects(agent.callTool('get_workspace'), library.unauthorized)
  for (const secret of [access, refresh, redirect.searchParams.get('code') ?? ''])
    assert.ok(secret !== '' && !output().includes(secret), 'the log has no secret')
})
