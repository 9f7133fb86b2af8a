import { findKey } from '../../keys/records.ts'
import { createSecret } from '../../lib/secret.ts'
import type { HttpResponse } from '../../operation.ts'
import { requireManager, type WorkspaceContext } from '../context.ts'
import { readForm } from '../form.ts'
import { idempotencyTokenOf } from '../once.ts'
import { htmlResponse } from '../responses.ts'
import { createOnce, readWorkingKey } from './change.ts'
import { alreadyShownResponse, createdKeyResponse } from './created.ts'
import { replaceKeyPage, usedKeyPage } from './replace-page.ts'

export async function showReplaceKeyForm(context: WorkspaceContext): Promise<HttpResponse> {
  requireManager(context.workspace)
  const { chrome } = context
  const key = await readWorkingKey(context)
  if (key.lastUsedAt !== null) return htmlResponse(409, usedKeyPage({ chrome, key }))
  return htmlResponse(200, replaceKeyPage({ chrome, key, once: createSecret() }))
}

/** For a key whose only showing was lost: it is revoked, and a new one shown in its place. */
export async function replaceKey(context: WorkspaceContext): Promise<HttpResponse> {
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
  if (created === undefined) return htmlResponse(409, usedKeyPage({ chrome, key: await readWorkingKey(context) }))
  if ('alreadyCreated' in created) return alreadyShownResponse(context, created.alreadyCreated)
  return createdKeyResponse(context, created, { label: created.replaced.label, worksUntil: null })
}

class KeyInUse extends Error {
  override name = 'KeyInUse'
}
