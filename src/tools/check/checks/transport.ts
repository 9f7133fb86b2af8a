import { type Check, checksOf, probe } from '../check.ts'
import { type Diagnosis, diagnoses } from '../diagnosis.ts'
import { expect, expectResponse, summary } from '../expect.ts'
import type { Request } from '../http.ts'
import { expectResult, OLD, oldCall } from '../rpc.ts'

const MIB = 1024 * 1024
/** Space for the rest of the request in a body of 1 MiB. */
const ENVELOPE_BYTES = 1024
/** Tracing headers may be 8 KiB long (W3C Baggage); proxies allow about that for one header by default. */
const HEADER_BYTES = 6 * 1024

export function transportChecks(resourcePath: string, mcpPath: string): Check[] {
  const ping = oldCall(mcpPath, 'ping')
  const padded = (bytes: number) => oldCall(mcpPath, 'ping', { _meta: { padding: 'x'.repeat(bytes) } })
  const pinged =
    (request: Request, ifRefused?: Diagnosis): Check['run'] =>
    async (client) => {
      const response = await client.send(request)
      if (ifRefused && response.status >= 400)
        expectResponse(response, { status: 200, meaning: { [response.status]: ifRefused } })
      expectResult(response, OLD)
    }
  return checksOf('transport', {
    'large-body': pinged(padded(MIB - ENVELOPE_BYTES)),
    'too-large-body': probe({ ...padded(MIB), expect: { status: 400, code: 'payload_too_large' } }),
    'chunked-body': pinged({ ...ping, bodyMode: 'chunked' }, diagnoses.chunksRefused),
    'expect-continue': pinged({ ...ping, bodyMode: 'continue' }, diagnoses.continueRefused),
    'large-headers': probe({
      method: 'GET',
      path: resourcePath,
      headers: { 'X-Vitrine-Check': 'x'.repeat(HEADER_BYTES) },
      expect: { status: 401, meaning: { 400: diagnoses.headerLimit } },
    }),
    'header-case': async (client) => {
      const { status } = await client.read(resourcePath)
      const response = await client.send({ method: 'GET', path: resourcePath, withKey: 'in other case' })
      expectResponse(response, { status, meaning: { 401: diagnoses.caseSensitive } })
    },
    // Without the key, which would be recorded as seen in a browser. A proxy may add the headers only to such requests.
    'web-pages': async (client) => {
      const headers = { Origin: 'https://vitrine-check.invalid' }
      const asked = { 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'authorization' }
      for (const path of [resourcePath, mcpPath])
        for (const request of [
          { method: 'OPTIONS', headers: { ...headers, ...asked } },
          { method: 'GET', headers },
        ]) {
          const response = await client.send({ ...request, path })
          const name = Object.keys(response.headers).find((each) => each.startsWith('access-control-'))
          const got = `${name}: ${response.headers[name ?? '']}`
          expect(name === undefined, response, 'no Access-Control header', diagnoses.corsAdded, got)
        }
    },
    // The last check that sends requests, so it has seen all failures.
    steady: async ({ passingFailures, state }) => {
      const [failure] = passingFailures
      if (failure === undefined) return
      const got = `${passingFailures.length} of ${state.requests} requests failed like this: ${summary(failure)}`
      expect(false, failure, 'the same response on every attempt', diagnoses.gatewaySometimes, got)
    },
  })
}
