import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { matchRedirect, registerClient, registeredClient, registrationOf } from '../../src/connections/client.ts'
import { describedClient } from '../../src/connections/client-document.ts'
import { type ClientMetadata, documentedClients, grants } from './documented-clients.ts'

interface Known {
  /** Redirect URIs and authentication methods are from public reports. */
  metadata: ClientMetadata
  /** What the client sends to the authorization endpoint, if it is not just what it registered. */
  redirects?: string[]
}

const registrations: Record<string, Known> = {
  'Claude, which asks for a secret': {
    metadata: {
      ...{ client_name: 'Claude', token_endpoint_auth_method: 'client_secret_post', ...grants, scope: 'tasks:read' },
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
    },
  },
  'an SDK that leaves out everything it may': { metadata: { redirect_uris: ['http://localhost:3000/callback'] } },
  'a library that sends null for what is not set': {
    metadata: {
      ...{ client_name: null, grant_types: null, response_types: null, token_endpoint_auth_method: null, scope: null },
      redirect_uris: ['http://localhost:3030/callback'],
    },
  },
}

const documents: Record<string, Known> = {
  'https://chatgpt.com/oauth/client.json': {
    metadata: {
      ...{ client_name: 'ChatGPT', client_uri: 'https://chatgpt.com/', ...grants },
      redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
      ...{ token_endpoint_auth_signing_alg: 'RS256', jwks_uri: 'https://chatgpt.com/oauth/jwks.json' },
    },
  },
  'https://apify.github.io/mcpc/client-metadata.json': {
    metadata: {
      ...{ client_name: 'mcpc', ...grants, token_endpoint_auth_method: 'none' },
      redirect_uris: ['127.0.0.1', 'localhost'].flatMap((host) =>
        Array.from({ length: 10 }, (_, n) => `http://${host}:${13316 + n}/callback`),
      ),
    },
  },
}

for (const { name, callback, registers, document } of documentedClients) {
  if (registers !== undefined) registrations[name] = { metadata: registers, redirects: [callback] }
  if (document !== undefined) documents[document.client_id] = { metadata: document, redirects: [callback] }
}

for (const [name, { metadata, redirects = [] }] of Object.entries(registrations))
  test(`a registration of ${name} is accepted, and its redirects match`, () => {
    const client = registerClient(metadata)
    assert.deepEqual(registeredClient(client.id), client)
    assert.equal(registrationOf(client).token_endpoint_auth_method, 'none')
    assert.deepEqual(registrationOf(client).redirect_uris, metadata.redirect_uris)
    if (typeof metadata.client_name === 'string') assert.equal(client.name, metadata.client_name)
    for (const uri of [...metadata.redirect_uris, ...redirects]) assert.equal(matchRedirect(client, uri), uri)
  })

for (const [id, { metadata, redirects = [] }] of Object.entries(documents))
  test(`the document ${id} is accepted, and its redirects match`, () => {
    const document = { client_id: id, ...metadata }
    assert.ok(JSON.stringify(document).length <= 5120)
    const client = describedClient(new URL(id), document)
    assert.deepEqual([client.id, client.name, client.documentHost], [id, metadata.client_name, new URL(id).hostname])
    for (const uri of [...metadata.redirect_uris, ...redirects]) assert.equal(matchRedirect(client, uri), uri)
  })

test('whatever a document contains, it describes a client or is refused', () => {
  const id = 'https://client.example/client.json'
  const names = ['client_name', 'redirect_uris', 'grant_types', 'response_types', 'token_endpoint_auth_method']
  const good = fc.constantFrom('App', ['https://client.example/cb'], ['authorization_code'], ['code'], 'none', {
    toString: 1,
  })
  const member = fc.oneof({ weight: 3, arbitrary: good }, fc.jsonValue())
  const document = fc.record(Object.fromEntries(names.map((name) => [name, member])), { requiredKeys: [] })
  let described = 0
  fc.assert(
    fc.property(document, (members) => {
      try {
        const client = describedClient(new URL(id), { client_id: id, ...members })
        assert.deepEqual(client.redirectUris, ['https://client.example/cb'])
        described++
      } catch (error) {
        assert.equal((error as { code?: string }).code, 'invalid_client')
      }
    }),
    { numRuns: 3000 },
  )
  assert.ok(described > 0)
})
