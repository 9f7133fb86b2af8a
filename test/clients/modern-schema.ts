import assert from 'node:assert/strict'
import { assertFits } from '../support/modern-client.ts'

/** The definitions of the protocol that the result of a method must fit. */
const resultResponses: Record<string, string> = {
  'server/discover': 'DiscoverResultResponse',
  'tools/list': 'ListToolsResultResponse',
  'tools/call': 'CallToolResultResponse',
}

/** The definitions for an error code: for the whole response, or for its member `error`. */
const errorResponses: Record<number, string> = {
  [-32020]: 'HeaderMismatchError',
  [-32022]: 'UnsupportedProtocolVersionError',
}
const errors: Record<number, string> = {
  [-32700]: 'ParseError',
  [-32600]: 'InvalidRequestError',
  [-32601]: 'MethodNotFoundError',
  [-32602]: 'InvalidParamsError',
  [-32603]: 'InternalError',
}

interface Response {
  id?: unknown
  result?: { structuredContent?: unknown; isError?: boolean }
  error?: { code: number }
}

/** Fails unless a modern response matches the protocol's published schema for its method or error code. */
export function assertModernResponse(method: string | undefined, id: unknown, body: string): void {
  const response = JSON.parse(body) as Response
  const { result, error } = response
  assert.notEqual(result === undefined, error === undefined, `exactly one of result and error: ${body}`)
  if (error === undefined) {
    assertFits(resultResponses[method ?? ''] ?? assert.fail(`${method} has a result: ${body}`), response)
    assert.equal(response.id, id)
  } else {
    const { code } = error
    assertFits('JSONRPCErrorResponse', response)
    if (errorResponses[code] !== undefined) assertFits(errorResponses[code], response)
    else assertFits(errors[code] ?? assert.fail(`${code} is no error of the protocol: ${body}`), error)
    if (response.id !== undefined) assert.equal(response.id, id)
  }
}
