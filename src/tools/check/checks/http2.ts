import type { Check } from '../define.ts'
import { expectBody, expectDocumentedHeaders, expectHeader, expectProblem, expectStatus } from '../expect.ts'
import { openHttp2 } from '../http2-exchange.ts'
import { Skip } from '../outcome.ts'
import { expectResult, MODERN, modernCall, toolNames } from '../rpc.ts'

/** A sample of the contract over HTTP/2, if the deployment offers it: that is the proxy's own, since Vitrine speaks HTTP/1.1. */
export const http2Check = (resourcePath: string, mcpPath: string): Check => ({
  id: 'transport.http2',
  group: 'transport',
  title: 'Over HTTP/2 the answers are the same',
  why: 'Most clients choose it when it is offered.',
  operations: [`GET ${resourcePath}`, `POST ${mcpPath}`],
  async run(client) {
    const session = await openHttp2(client.target)
    if (session === undefined) throw new Skip('HTTP/2 is not offered here')
    try {
      const without = await client.send({ method: 'GET', path: resourcePath }, session.exchange)
      expectProblem(without, 401, 'unauthorized')
      expectDocumentedHeaders(client.contract, without)
      await client.readable(resourcePath)
      const response = await client.send({ method: 'GET', path: resourcePath, withKey: true }, session.exchange)
      expectStatus(response, 200)
      expectBody(client.contract, response, 'application/json')
      expectDocumentedHeaders(client.contract, response)
      const headers = { 'If-None-Match': response.headers.etag ?? '' }
      const again = await client.send({ method: 'GET', path: resourcePath, withKey: true, headers }, session.exchange)
      // A change in between is nothing of the protocol's.
      if (again.headers.etag === response.headers.etag) expectStatus(again, 304)
      const listed = await client.send(modernCall(mcpPath, 'tools/list'), session.exchange)
      toolNames(expectResult(listed, MODERN))
      expectHeader(listed, 'X-Request-Id', /./)
      return undefined
    } finally {
      session.close()
    }
  },
})
