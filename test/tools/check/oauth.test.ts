import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkDeployment } from '../../../src/tools/check/run.ts'
import { startService } from '../../support/service.ts'
import { page, withoutHeaders } from './fault-kinds.ts'
import { type Fault, startFaultyProxy } from './faulty-proxy.ts'

const RESOURCE = '/.well-known/oauth-protected-resource/v2/mcp'
const SERVER = '/.well-known/oauth-authorization-server'

const replacing = (at: string, from: string, to: string): Fault => ({
  respond(response, { path }) {
    if (path === at) response.body = Buffer.from(response.body.toString().replace(from, to))
  },
})

const faults: [name: string, fault: Fault, expected: RegExp][] = [
  ['responds to the metadata itself', { request: ({ path }) => (path === SERVER ? page(404) : undefined) }, /server/],
  ['blocks the token endpoint', { request: ({ path }) => (path === '/oauth/token' ? page(403) : undefined) }, /400/],
  ['blocks the consent page', { request: ({ path }) => (path === '/oauth/authorize' ? page(403) : undefined) }, /400/],
  ['removes Cache-Control', withoutHeaders(/^cache-control$/), /Cache-Control/],
  ['changes the resource', replacing(RESOURCE, '/v2/mcp"', '/v2/mcp/"'), /member resource/],
  ['changes the issuer', replacing(SERVER, '"issuer":"https://v.', '"issuer":"https://w.'), /member issuer/],
  ['leaves out S256', replacing(SERVER, 'S256', 'plain'), /member code_challenge_methods_supported/],
  ['moves an endpoint', replacing(SERVER, 'https://v.example/oauth/token', 'http://v.example/token'), /token_endpoint/],
]

test("a deployment's metadata is checked as its clients read it", async (t) => {
  const service = await startService(t, { env: { PUBLIC_URL: 'https://v.example' } })
  const check = async (fault: Fault) => {
    const url = new URL(await startFaultyProxy(t, service.url, fault))
    const { results } = await checkDeployment({ target: { url }, key: service.key, wait: async () => {} })
    return results.find(({ id }) => id === 'paths.oauth')
  }
  const passed = await check({})
  assert.equal(passed?.status, 'passed', JSON.stringify(passed))
  for (const [name, fault, expected] of faults)
    await t.test(`a proxy that ${name} is found`, async () => {
      const result = await check(fault)
      assert.equal(result?.status, 'failed')
      assert.match(JSON.stringify(result), expected)
    })
})
