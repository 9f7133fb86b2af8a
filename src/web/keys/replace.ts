import { findKey } from '../../keys/records.ts'
import { createSecret } from '../../lib/secret.ts'
import type { Answer } from '../../operation.ts'
import { htmlAnswer } from '../answers.ts'
import { requireManager, type WorkspaceContext } from '../context.ts'
import { readForm } from '../form.ts'
import { idempotencyTokenOf } from '../once.ts'
import { createOnce, readWorkingKey } from './change.ts'
import { alreadyShownAnswer, createdKeyAnswer } from './created.ts'
import { replaceKeyPage, usedKeyPage } from './replace-page.ts'

export async function showReplaceKeyForm(context: WorkspaceContext): Promise<Answer> {
  requireManager(context.workspace)
  const { chrome } = context
  const key = await readWorkingKey(context)
  if (key.lastUsedAt !== null) return htmlAnswer(409, usedKeyPage({ chrome, key }))
  return htmlAnswer(200, replaceKeyPage({ chrome, key, once: createSecret() }))
}

/** For a key whose only showing was lost: it is revoked, and a new one shown in its place. */
export async function replaceKey(context: WorkspaceContext): Promise<Answer> {
  requireManager(context.workspace)
  const { chrome, keyId } = context
  const once = idempotencyTokenOf(await readForm(context, chrome.csrf))
  const replaced = createOnce(context, once, async (keys, tx) => {
    if ((await findKey(tx, keyId))?.lastUsedAt !== null) throw new KeyInUse()
    return keys.replace(keyId)
  })
  const created = await replaced.catch((error) => {
    if (error instanceof KeyInUse) return undefined
    throw error
  })
  if (created === undefined) return htmlAnswer(409, usedKeyPage({ chrome, key: await readWorkingKey(context) }))
  if ('alreadyCreated' in created) return alreadyShownAnswer(context, created.alreadyCreated)
  return createdKeyAnswer(context, created, { label: created.replaced.label, worksUntil: null })
}

class KeyInUse extends Error {
  override name = 'KeyInUse'
}
