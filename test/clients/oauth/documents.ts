import assert from 'node:assert/strict'
import { createServer } from 'node:https'
import type { TestContext } from 'node:test'
import { ClientRegistry } from '../../../src/connections/client-document.ts'
import { selfSigned } from '../../support/certificates.ts'
import { listenUntilEnd } from '../../support/listen.ts'
import type { ClientDocument } from './documented-clients.ts'

/** Clients whose metadata documents are on a server of the test's own, which stands for all of their hosts. */
export async function clientsWith(t: TestContext, documents: readonly ClientDocument[]): Promise<ClientRegistry> {
  const hosts = documents.map(({ client_id }) => new URL(client_id).hostname)
  const resolve = async (name: string) => {
    assert.ok(hosts.includes(name), `${name} is not to be looked up`)
    return ['127.0.0.1']
  }
  if (documents.length === 0) return new ClientRegistry({ testOverrides: { resolve } })
  const { key, cert } = selfSigned(t, hosts.map((host) => `DNS:${host}`).join())
  const server = createServer({ key, cert }, (req, res) => {
    const asked = `https://${req.headers.host?.split(':')[0]}${req.url}`
    const found = documents.find(({ client_id }) => client_id === asked)
    res.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(found))
  })
  const port = await listenUntilEnd(t, server)
  return new ClientRegistry({
    testOverrides: { ca: cert, port, resolve, isAllowed: (address) => address === '127.0.0.1', timeoutMs: 60_000 },
  })
}
