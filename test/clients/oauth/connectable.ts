import type { TestContext } from 'node:test'
import { signInLinkUrl } from '../../../src/web/paths.ts'
import { atTime } from '../../support/at-time.ts'
import { createSignInLink } from '../../support/changes.ts'
import { type Service, startService } from '../../support/service.ts'
import { addFairAndLinen } from '../fixture.ts'
import { startRecordingProxy } from '../recording-proxy.ts'
import type { Exchange } from '../wire.ts'
import type { ClientDocument } from './documented-clients.ts'
import { clientsWith } from './documents.ts'

interface Options extends NonNullable<Parameters<typeof startService>[1]> {
  /** The client ID metadata documents on the internet; none by default. */
  documents?: readonly ClientDocument[]
}

export interface Connectable {
  service: Service
  /** PUBLIC_URL. */
  url: string
  /** What a person pastes. */
  mcpUrl: string
  exchanges(): Exchange[]
  /** Method, path without its query, and status of each request so far, except those of the person's browser. */
  requests(): string[]
  /** A fresh sign-in link for an owner of `acme`. */
  signInLink(): Promise<string>
}

const OWNER = 'owner@acme.example'
const isPersons = (path: string) => path.startsWith('/settings') || path.startsWith('/oauth/authorize')

/** The service behind its public URL, as behind a proxy, with two tasks and an owner. */
export async function startConnectable(
  t: TestContext,
  { documents = [], ...options }: Options = {},
): Promise<Connectable> {
  let service: Service | undefined
  const { url, exchanges } = await startRecordingProxy(t, () => service?.url ?? '')
  const clients = await clientsWith(t, documents)
  service = await startService(t, { clients, ...options, env: { PUBLIC_URL: url, ...options.env } })
  await addFairAndLinen(service)
  await service.addMember(OWNER, 'owner')
  return {
    service,
    url,
    mcpUrl: `${url}/v2/mcp`,
    exchanges,
    requests: () =>
      exchanges()
        .filter(({ path }) => !isPersons(path))
        .map(({ verb, path, status }) => `${verb} ${path.split('?')[0]} ${status}`),
    signInLink: async () =>
      signInLinkUrl(
        url,
        await createSignInLink(
          atTime(service.operator, () => service.time.now),
          { email: OWNER },
          'test',
        ),
      ),
  }
}
