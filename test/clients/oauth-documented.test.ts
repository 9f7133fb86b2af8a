import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { suite, test } from 'node:test'
import { ClientRegistry } from '../../src/connections/client-document.ts'
import { describeInBrowser } from '../support/chromium-suite.ts'
import { bearer, taskIds } from './fixture.ts'
import { type Connectable, startConnectable } from './oauth/connectable.ts'
import { type DocumentedClient, documentedClients } from './oauth/documented-clients.ts'
import { decide, decideInBrowser } from './oauth/person.ts'

const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1.0.0' } },
}
const listTasks = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_tasks', arguments: {} } }

suite('a client that is documented, but cannot run here', () => {
  for (const client of documentedClients)
    test(`${client.name}: from the pasted URL to its tasks, and on after an hour`, async (t) => {
      const connectable = await startConnectable(t, {
        documents: client.document === undefined ? [] : [client.document],
      })
      const { clientId, verifier, authorization, endpoints } = await prepare(connectable, client)
      const { page, redirect } = await decide(connectable, authorization)
      assert.ok(page.text.replaceAll('<wbr>', '').includes(`<strong><bdi>${client.host}</bdi></strong>`), page.text)
      assertCallback(connectable, client, redirect)

      const tokens = await requestToken(endpoints.token_endpoint, {
        grant_type: 'authorization_code',
        code: redirect.searchParams.get('code') ?? '',
        redirect_uri: client.callback,
        code_verifier: verifier,
        client_id: clientId,
        resource: connectable.mcpUrl,
      })
      assert.equal(tokens.scope, 'workspace:read tasks:read')
      assert.deepEqual(await tasksWith(connectable, tokens.access_token), ['task_linen', 'task_fair'])

      connectable.service.time.now += 3_601_000
      assert.equal((await post(connectable.mcpUrl, listTasks, tokens.access_token)).status, 401)
      const renewed = await requestToken(endpoints.token_endpoint, {
        grant_type: 'refresh_token',
        refresh_token: tokens.refresh_token,
        client_id: clientId,
        resource: connectable.mcpUrl,
      })
      assert.deepEqual(await tasksWith(connectable, renewed.access_token), ['task_linen', 'task_fair'])
    })
})

test('no metadata document is fetched for a stranger who has not signed in', async (t) => {
  const client = documentedClients[0]
  assert.ok(client?.document)
  const names: string[] = []
  const resolve = async (name: string) => {
    names.push(name)
    return []
  }
  const connectable = await startConnectable(t, { clients: new ClientRegistry({ testOverrides: { resolve } }) })
  const { authorization } = await prepare(connectable, client)
  assert.match(await (await fetch(authorization)).text(), /Sign in to Vitrine/)
  assert.deepEqual(names, [])
  await assert.rejects(decide(connectable, authorization), /could not be fetched from chatgpt\.com/)
  assert.deepEqual(names, ['chatgpt.com'])
})

describeInBrowser('a real browser, after the person has allowed it,', (browser) => {
  for (const client of documentedClients.filter(({ name }) => name.startsWith('ChatGPT, registering')))
    test(`continues to ${new URL(client.callback).host} (${client.name})`, async (t) => {
      const connectable = await startConnectable(t)
      const { authorization } = await prepare(connectable, client)
      const page = await browser.open()
      const { origin } = new URL(client.callback)
      // The host does not exist, so only the request can be seen.
      const asked = page.waitForRequest((request) => request.url().startsWith(origin))
      await decideInBrowser(page, connectable, authorization)
      const request = await asked
      const { referer } = await request.allHeaders()
      assertCallback(connectable, client, new URL(request.url()))
      assert.equal(referer, undefined, 'the person’s origin is not sent')
      assert.deepEqual(page.complaints, [])
    })

  test('passes the code to an app by its scheme', async (t) => {
    const client = documentedClients.find(({ callback }) => callback.startsWith('cursor:'))
    assert.ok(client)
    const connectable = await startConnectable(t)
    const { authorization } = await prepare(connectable, client)
    const page = await browser.open()
    // Chromium has no app for the scheme, so only the request can be seen; its policy would block it earlier.
    const asked = page.waitForEvent('requestfailed', (request) => request.url().startsWith('cursor:'))
    await decideInBrowser(page, connectable, authorization)
    assertCallback(connectable, client, new URL((await asked).url()))
    assert.deepEqual(page.complaints, [])
  })
})

/** All that happens before the person sees anything. */
async function prepare(connectable: Connectable, client: DocumentedClient) {
  const { mcpUrl, url } = connectable
  const refused = await post(mcpUrl, initialize)
  assert.equal(refused.status, 401)
  const challenge = refused.headers.get('www-authenticate') ?? ''
  const resourceUrl = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? ''
  const scope = /scope="([^"]+)"/.exec(challenge)?.[1] ?? ''
  const resource = await json(resourceUrl)
  assert.equal(resource.resource, mcpUrl)
  assert.deepEqual(resource.authorization_servers, [url])
  const endpoints = (await json(`${url}/.well-known/oauth-authorization-server`)) as Record<string, string>
  assert.equal(endpoints.issuer, url)
  const clientId = await identify(endpoints.registration_endpoint ?? '', client)

  const verifier = randomBytes(32).toString('base64url')
  const authorization = new URL(endpoints.authorization_endpoint ?? '')
  authorization.search = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: client.callback,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: client.state,
    resource: mcpUrl,
    scope: [scope, ...(client.extraScopes ?? [])].join(' '),
  }).toString()
  return { clientId, verifier, authorization, endpoints: { token_endpoint: endpoints.token_endpoint ?? '' } }
}

async function identify(registrationUrl: string, { registers, document }: DocumentedClient): Promise<string> {
  if (document !== undefined) return document.client_id
  const response = await post(registrationUrl, registers)
  assert.equal(response.status, 201)
  const registered = (await response.json()) as Record<string, unknown>
  // Whatever it asked for, it gets no secret.
  assert.equal(registered.token_endpoint_auth_method, 'none')
  assert.equal(registered.client_secret, undefined)
  assert.deepEqual(registered.redirect_uris, registers?.redirect_uris)
  return String(registered.client_id)
}

function assertCallback({ url }: Connectable, { callback, state }: DocumentedClient, redirect: URL): void {
  const { searchParams } = redirect
  assert.equal(redirect.href.split('?')[0], callback)
  assert.deepEqual([...searchParams.keys()].sort(), ['code', 'iss', 'state'])
  assert.equal(searchParams.get('state'), state)
  assert.equal(searchParams.get('iss'), url)
}

const json = async (url: string) => {
  const response = await fetch(url)
  assert.equal(response.status, 200, url)
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
  return (await response.json()) as Record<string, unknown>
}

const post = (url: string, body: unknown, token?: string) =>
  fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token !== undefined && bearer(token)),
    },
    body: JSON.stringify(body),
  })

async function requestToken(url: string, parameters: Record<string, string>) {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(parameters) })
  const text = await response.text()
  assert.equal(response.status, 200, text)
  assert.equal(response.headers.get('cache-control'), 'no-store')
  return JSON.parse(text) as { access_token: string; refresh_token: string; scope: string }
}

async function tasksWith({ mcpUrl }: Connectable, token: string): Promise<string[]> {
  const response = await post(mcpUrl, listTasks, token)
  assert.equal(response.status, 200)
  return taskIds(((await response.json()) as { result: unknown }).result)
}
