import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { describeInBrowser } from '../support/chromium-suite.ts'
import { waitUntil } from '../support/wait.ts'
import { taskIds } from './fixture.ts'
import { startCallback } from './oauth/callback.ts'
import { type Connectable, startConnectable } from './oauth/connectable.ts'
import { authorizationUrl, type Library, libraries } from './oauth/libraries.ts'
import { MemoryProvider } from './oauth/memory-provider.ts'
import { decide, decideInBrowser, REFUSE } from './oauth/person.ts'

const HOUR_MS = 60 * 60_000
const UNUSED_CALLBACK = 'http://127.0.0.1:3117/callback'
const PRM = '/.well-known/oauth-protected-resource/v2/mcp'
const AS = '/.well-known/oauth-authorization-server'

describeInBrowser('a person connects an agent with only its URL', (browser) => {
  for (const library of libraries)
    test(`${library.title}: signs in, allows it, and it reads the tasks`, async (t) => {
      const connectable = await startConnectable(t)
      const callback = await startCallback(t)
      const provider = new MemoryProvider(callback.url)
      const { opened, authorization } = await authorizationUrl(t, library, connectable.mcpUrl, provider)
      assert.deepEqual(connectable.requests().slice(-3), [
        `GET ${PRM} 200`,
        `GET ${AS} 200`,
        'POST /oauth/register 201',
      ])
      assert.equal(authorization.searchParams.get('resource'), connectable.mcpUrl)
      assert.equal(authorization.searchParams.get('scope'), 'workspace:read tasks:read')

      const page = await browser.open()
      await decideInBrowser(page, connectable, authorization)
      const received = await callback.received
      assert.deepEqual(page.complaints, [])
      assert.equal(received.get('state'), 'a state/with+signs=')
      assert.equal(received.get('iss'), connectable.url)

      await opened.finish(received)
      assert.equal(provider.issued.token_type.toLowerCase(), 'bearer')
      assert.equal(provider.issued.expires_in, 3600)
      assert.equal(provider.issued.scope, 'workspace:read tasks:read')
      const again = library.open(t, connectable.mcpUrl, provider)
      await again.connect()
      assert.deepEqual(taskIds(await again.callTool('list_tasks')), ['task_linen', 'task_fair'])
      const { client, label, createdBy } = (await connectionsIn(connectable))[0] ?? {}
      assert.equal(label, 'Stock agent')
      assert.deepEqual(client, { id: provider.information.client_id, host: '127.0.0.1' })
      assert.equal(createdBy, 'owner@acme.example')
    })
})

for (const library of libraries)
  suite(library.title, () => {
    test('refreshes by itself after an hour, and stays the same key', async (t) => {
      const { connectable, provider, agent } = await connected(t, library)
      const [before] = await connectionsIn(connectable)
      const { access_token: access, refresh_token: refresh } = provider.issued
      connectable.service.time.now += HOUR_MS + 1000
      assert.deepEqual(taskIds(await agent.callTool('list_tasks')), ['task_linen', 'task_fair'])
      assert.notEqual(provider.issued.access_token, access)
      assert.notEqual(provider.issued.refresh_token, refresh)
      assert.deepEqual(
        (await connectionsIn(connectable)).map(({ id }) => id),
        [before?.id],
      )
      assert.equal(provider.redirected.length, 1, 'no one is asked again')
    })

    test('asks for a new sign-in once its connection is revoked, and forgets its tokens', async (t) => {
      const { connectable, provider, agent } = await connected(t, library)
      const [key] = await connectionsIn(connectable)
      await connectable.service.keys.revoke(key?.id ?? '')
      await assert.rejects(agent.callTool('list_tasks'), library.unauthorized)
      assert.deepEqual(provider.invalidated, ['tokens'])
      assert.equal(provider.redirected.length, 2)
      await decide(connectable, provider.redirected[1] ?? '')
    })

    test('gets access_denied, with its state, when the person refuses', async (t) => {
      const connectable = await startConnectable(t)
      const provider = new MemoryProvider(UNUSED_CALLBACK)
      const { opened, authorization } = await authorizationUrl(t, library, connectable.mcpUrl, provider)
      const { redirect } = await decide(connectable, authorization, REFUSE)
      assert.equal(redirect.searchParams.get('error'), 'access_denied')
      assert.equal(redirect.searchParams.get('state'), 'a state/with+signs=')
      assert.equal(redirect.searchParams.get('iss'), connectable.url)
      await assert.rejects(opened.finish(redirect.searchParams))
      assert.equal(provider.saved, undefined)
      assert.deepEqual(await connectionsIn(connectable), [])
    })
  })

for (const library of libraries)
  test(`${library.title} keeps its tokens while its connection is paused, and continues without a new sign-in`, async (t) => {
    const { connectable, provider, agent } = await connected(t, library)
    const [key] = await connectionsIn(connectable)
    await connectable.service.keys.pause(key?.id ?? '')
    await assert.rejects(agent.callTool('list_tasks'), /The connection is paused/)
    assert.deepEqual(provider.invalidated, [])
    assert.equal(provider.redirected.length, 1)
    await connectable.service.keys.resume(key?.id ?? '')
    assert.deepEqual(taskIds(await agent.callTool('list_tasks')), ['task_linen', 'task_fair'])
  })

async function connected(t: TestContext, library: Library) {
  const connectable = await startConnectable(t)
  return { connectable, ...(await connect(t, library, connectable)) }
}

async function connect(
  t: TestContext,
  library: Library,
  connectable: Connectable,
  provider = new MemoryProvider(UNUSED_CALLBACK),
) {
  const { opened, authorization } = await authorizationUrl(t, library, connectable.mcpUrl, provider)
  const { redirect } = await decide(connectable, authorization)
  await opened.finish(redirect.searchParams)
  const agent = library.open(t, connectable.mcpUrl, provider)
  const streams = () => connectable.requests().filter((request) => request === 'GET /v2/mcp 405').length
  const before = streams()
  await agent.connect()
  // Otherwise it might meet what the test changes next, and the library would sign in for two requests at once.
  if (library.wantsStream) await waitUntil(() => streams() > before)
  return { provider, agent }
}

const connectionsIn = async ({ service }: Connectable) =>
  (await service.keys.list('acme')).filter(({ client }) => client !== null)
