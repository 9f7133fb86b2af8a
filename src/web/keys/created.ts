import { findFirstOutcome } from '../../keys/history.ts'
import { findKey, type KeyRecord } from '../../keys/records.ts'
import { redactTokens } from '../../lib/redact.ts'
import type { Answer } from '../../operation.ts'
import type { Resource } from '../../resources/define.ts'
import { htmlAnswer, pageNotFound, scriptAnswer } from '../answers.ts'
import { type RequestContext, requireManager, type WorkspaceContext } from '../context.ts'
import { alreadyShownPage, type CreatedKeyModel, createdKeyPage } from './created-page.ts'
import { outcomeText } from './first-outcome.ts'

/** The answer itself holds the key. It is nowhere else, so neither a reload nor going back can show it again. */
export function createdKeyAnswer(
  context: WorkspaceContext,
  { token, key }: { token: string; key: KeyRecord },
  replaced: CreatedKeyModel['replaced'] = null,
): Answer {
  const { chrome, resources } = context
  const serviceUrl = serviceUrlOf(context)
  return htmlAnswer(
    200,
    createdKeyPage({ chrome, token, key, serviceUrl, examplePath: examplePathOf(resources, key), replaced }),
  )
}

/** What the key can read. The last resource listed is the most telling: the first is the workspace itself. */
export const examplePathOf = (
  resources: readonly Resource[],
  { permissions }: Pick<KeyRecord, 'permissions'>,
): string => resources.findLast(({ permission }) => permissions.includes(permission))?.path ?? '/'

/** Where clients reach the service: as it is configured, or as this browser reached it. */
export function serviceUrlOf({ request, config }: RequestContext): string {
  if (config.publicUrl !== '') return config.publicUrl
  const host = request.header('host') ?? ''
  // Its own person's browser sent it; still, only what can be a host goes into a snippet.
  return `http://${/^[\w.:[\]-]{1,255}$/.test(host) && redactTokens(host) === host ? host : 'localhost'}`
}

export const alreadyShownAnswer = ({ chrome }: WorkspaceContext, key: KeyRecord): Answer =>
  htmlAnswer(409, alreadyShownPage({ chrome, key }))

/** What the page of a new key polls for: how its requests fare, in a sentence. */
export async function firstUse({ store, workspace, keyId }: WorkspaceContext): Promise<Answer> {
  requireManager(workspace)
  const outcome = await store.read(async (tx) => {
    if ((await findKey(tx, keyId))?.workspaceId !== workspace.workspaceId) throw pageNotFound()
    return findFirstOutcome(tx, keyId)
  })
  return scriptAnswer({ outcome: outcome === undefined ? null : { ...outcome, text: outcomeText(outcome) } })
}
