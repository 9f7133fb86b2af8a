import type { TestContext } from 'node:test'
import {
  Client,
  ProtocolError,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client'
import type { Service } from '../support/service.ts'
import { bearer } from './fixture.ts'
import { watchWire } from './wire.ts'

/** @modelcontextprotocol/client 2.x, connected. */
export async function connect(
  t: TestContext,
  service: Service,
  path: string,
  mode: VersionNegotiationMode | undefined,
  token = service.key,
) {
  const wire = watchWire()
  const requestInit = { headers: bearer(token) }
  const transport = new StreamableHTTPClientTransport(new URL(service.url + path), { requestInit, fetch: wire.fetch })
  const options = mode === undefined ? undefined : { versionNegotiation: { mode } }
  const client = new Client({ name: 'test', version: '1.0.0' }, options)
  const errors: Error[] = []
  client.onerror = (error) => errors.push(error)
  t.after(() => client.close())
  await client.connect(transport)
  return { client, wire, errors }
}

export const isProtocolError = (code: number, message: RegExp) => (error: unknown) =>
  error instanceof ProtocolError && error.code === code && message.test(error.message)

export const isUnauthorized = (error: unknown) => error instanceof SdkHttpError && error.status === 401
