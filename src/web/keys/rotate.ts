import { KeyChangeError } from '../../keys/change-error.ts'
import { endOf } from '../../keys/state.ts'
import { createSecret } from '../../lib/secret.ts'
import type { HttpResponse } from '../../operation.ts'
import { requireManager, type WorkspaceContext } from '../context.ts'
import { readForm } from '../form.ts'
import { idempotencyTokenOf, incompleteForm } from '../once.ts'
import { htmlResponse } from '../responses.ts'
import { draftOf } from '../sign-in/return.ts'
import { createOnce, readWorkingKey } from './change.ts'
import { alreadyShownResponse, createdKeyResponse } from './created.ts'
import { workingSuccessor } from './key-advice.ts'
import { overlaps, rotateKeyPage } from './rotate-page.ts'

export async function showRotateKeyForm(context: WorkspaceContext): Promise<HttpResponse> {
  requireManager(context.workspace)
  const { chrome } = context
  const key = await readWorkingKey(context)
  if (workingSuccessor(key) !== undefined) throw new KeyChangeError('rotated', `the key ${key.id} was rotated already`)
  const chosen = draftOf(context)?.get('overlap') ?? ''
  // Whoever has a leaked key should lose it now.
  const usual = key.warnings.length > 0 ? '0' : '24h'
  const overlap = isOverlap(chosen) ? chosen : usual
  return htmlResponse(200, rotateKeyPage({ chrome, key, overlap, once: createSecret() }))
}

export async function rotateKey(context: WorkspaceContext): Promise<HttpResponse> {
  requireManager(context.workspace)
  const form = await readForm(context, context.chrome.csrf)
  const once = idempotencyTokenOf(form)
  const overlap = form.get('overlap') ?? ''
  if (!isOverlap(overlap)) throw incompleteForm('Choose how long the old key keeps working.')
  const created = await createOnce(context, once, (keys) => keys.rotate(context.keyId, overlaps[overlap].ms))
  if ('alreadyCreated' in created) return alreadyShownResponse(context, created.alreadyCreated)
  const { replaced } = created
  const worksUntil = replaced.revokedAt === null ? endOf(replaced) : null
  return createdKeyResponse(context, created, { label: replaced.label, worksUntil })
}

const isOverlap = (text: string): text is keyof typeof overlaps => Object.hasOwn(overlaps, text)
