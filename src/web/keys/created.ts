import { findFirstOutcome } from '../../keys/history.ts'
import { findKey, type KeyRecord } from '../../keys/records.ts'
import type { Answer } from '../../operation.ts'
import { htmlAnswer, pageNotFound, scriptAnswer } from '../answers.ts'
import { requireManager, type WorkspaceContext } from '../context.ts'
import { serviceUrlOf } from '../service-url.ts'
import { alreadyShownPage, type CreatedKeyModel, createdKeyPage } from './created-page.ts'

/** The answer itself holds the key. It is nowhere else, so neither a reload nor going back can show it again. */
export function createdKeyAnswer(
  context: WorkspaceContext,
  { token, key }: { token: string; key: KeyRecord },
  replaced: CreatedKeyModel['replaced'] = null,
): Answer {
  const { chrome, resources } = context
  // The last one listed is the most telling example: the first is the workspace itself.
  const example = resources.findLast(({ permission }) => key.permissions.includes(permission))
  const serviceUrl = serviceUrlOf(context)
  return htmlAnswer(
    200,
    createdKeyPage({ chrome, token, key, serviceUrl, examplePath: example?.path ?? '/', replaced }),
    [],
    { showsSecret: true },
  )
}

export const alreadyShownAnswer = ({ chrome }: WorkspaceContext, key: KeyRecord): Answer =>
  htmlAnswer(409, alreadyShownPage({ chrome, key }))

/** What the page of a new key polls for. */
export async function firstUse({ store, workspace, keyId }: WorkspaceContext): Promise<Answer> {
  requireManager(workspace)
  const found = await store.read(async (tx) => {
    if ((await findKey(tx, keyId))?.workspaceId !== workspace.workspaceId) throw pageNotFound()
    return findFirstOutcome(tx, keyId)
  })
  return scriptAnswer({ firstUse: found?.kind === 'answered' ? { at: found.at, from: found.from } : null })
}
