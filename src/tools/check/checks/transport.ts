import { KEY_MARK } from '../client.ts'
import { type Check, checkFactory } from '../define.ts'
import { diagnoses } from '../diagnosis.ts'
import { expectProblem, expectStatus } from '../expect.ts'
import { expectResult, OLD, oldCall } from '../rpc.ts'

const MIB = 1024 * 1024
/** Room for the rest of the request in a body of 1 MiB. */
const ENVELOPE_BYTES = 1024
/** Tracing headers alone may have 8 KiB (W3C Baggage); proxies allow about that for one header by default. */
const HEADER_BYTES = 6 * 1024

/** What becomes of requests on their way. */
export function transportChecks(resourcePath: string, mcpPath: string): Check[] {
  const check = checkFactory('transport')
  const padded = (bytes: number) => oldCall(mcpPath, 'ping', { _meta: { padding: 'x'.repeat(bytes) } })
  return [
    check('large-body', 'A body of 1 MiB is accepted', 'Agents may send large arguments.', async (client) => {
      const response = await client.send(padded(MIB - ENVELOPE_BYTES))
      expectResult(response, OLD)
      return undefined
    }),
    check(
      'too-large-body',
      'A body over 1 MiB is refused as a problem',
      'Clients tell it by its code.',
      async (client) => {
        const response = await client.send(padded(MIB))
        expectStatus(response, 400)
        expectProblem(response, 400, 'payload_too_large', { isMcp: true })
        return undefined
      },
    ),
    check(
      'chunked-body',
      'A body in chunks is accepted',
      'Clients that stream do not know the length.',
      async (client) => {
        const response = await client.send({ ...oldCall(mcpPath, 'ping'), bodyMode: 'chunked' })
        expectStatus(response, 200, response.status >= 400 ? diagnoses.chunksRefused : undefined)
        expectResult(response, OLD)
        return undefined
      },
    ),
    check(
      'expect-continue',
      'Expect: 100-continue is understood',
      'curl and others send it with larger bodies.',
      async (client) => {
        const response = await client.send({ ...oldCall(mcpPath, 'ping'), bodyMode: 'continue' })
        expectStatus(response, 200, response.status >= 400 ? diagnoses.continueRefused : undefined)
        expectResult(response, OLD)
        return undefined
      },
    ),
    check(
      'early-refusal',
      'A request without a key is refused whether or not its body comes',
      'Strangers cannot make the server read.',
      async (client) => {
        const response = await client.send({ ...oldCall(mcpPath, 'ping'), withKey: false, bodyMode: 'late' })
        expectProblem(response, 401, 'unauthorized', { isMcp: true })
        if (response.cameEarly) return undefined
        return 'a proxy buffers request bodies: a refusal waits for the whole body'
      },
    ),
    check(
      'large-headers',
      `Headers of ${HEADER_BYTES / 1024} KiB are accepted`,
      'Tracing and gateways add long headers.',
      async (client) => {
        const headers = { 'X-Vitrine-Check': 'x'.repeat(HEADER_BYTES) }
        const response = await client.send({ method: 'GET', path: resourcePath, headers })
        expectStatus(response, 401, response.status === 400 ? diagnoses.headerLimit : undefined)
        return undefined
      },
    ),
    check(
      'header-case',
      'Header names and the scheme Bearer are known in any case',
      'HTTP/2 and many clients send lower case.',
      async (client) => {
        await client.read(resourcePath)
        const headers = { AUTHORIZATION: `bearer ${KEY_MARK}` }
        const response = await client.send({ method: 'GET', path: resourcePath, withKey: true, headers })
        expectStatus(
          response,
          (await client.read(resourcePath)).status,
          response.status === 401 ? diagnoses.caseSensitive : undefined,
        )
        return undefined
      },
    ),
  ]
}
