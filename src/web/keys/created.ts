import { findFirstOutcome } from '../../keys/history.ts'
import type { KeyRecord } from '../../keys/records.ts'
import { createSecret } from '../../lib/secret.ts'
import type { HttpResponse } from '../../operation.ts'
import type { Resource } from '../../resources/define.ts'
import { requireManager, type WorkspaceContext } from '../context.ts'
import { htmlResponse, scriptResponse } from '../responses.ts'
import { serviceUrlOf } from '../service-url.ts'
import { keyAt, readKey } from './change.ts'
import { alreadyShownPage, type CreatedKeyModel, createdKeyPage } from './created-page.ts'
import { outcomeText } from './first-outcome.ts'

/** The response itself holds the key. It is nowhere else, so neither a reload nor going back can show it again. */
export function createdKeyResponse(
  context: WorkspaceContext,
  { token, key }: { token: string; key: KeyRecord },
  replaced: CreatedKeyModel['replaced'] = null,
): HttpResponse {
  const { chrome, resources } = context
  const serviceUrl = serviceUrlOf(context)
  return htmlResponse(
    200,
    createdKeyPage({ chrome, token, key, serviceUrl, examplePath: examplePathOf(resources, key), replaced }),
    [],
    { showsSecret: true },
  )
}

/** What the key can read. The last resource listed is the most telling: the first is the workspace itself. */
export const examplePathOf = (
  resources: readonly Resource[],
  { permissions }: Pick<KeyRecord, 'permissions'>,
): string => resources.findLast(({ permission }) => permissions.includes(permission))?.path ?? '/'

/** To a form that was sent again: the key exists, but only the first response could show it. */
export async function alreadyShownResponse(context: WorkspaceContext, { id }: KeyRecord): Promise<HttpResponse> {
  const key = await readKey({ ...context, keyId: id })
  return htmlResponse(409, alreadyShownPage({ chrome: context.chrome, key, once: createSecret() }))
}

/** What the page of a new key polls for: how its requests fare, in a sentence. */
export async function firstUse(context: WorkspaceContext): Promise<HttpResponse> {
  requireManager(context.workspace)
  const outcome = await context.store.read(async (tx) => findFirstOutcome(tx, (await keyAt(context, tx)).id))
  return scriptResponse({ outcome: outcome === undefined ? null : { ...outcome, text: outcomeText(outcome) } })
}
