import { endOf } from '../../keys/state.ts'
import { createSecret } from '../../lib/secret.ts'
import type { Answer } from '../../operation.ts'
import { htmlAnswer } from '../answers.ts'
import { requireManager, type WorkspaceContext } from '../context.ts'
import { readForm } from '../form.ts'
import { idempotencyTokenOf, incompleteForm } from '../once.ts'
import { draftOf } from '../sign-in/return.ts'
import { createOnce, readWorkingKey, unlessEnded } from './change.ts'
import { alreadyShownAnswer, createdKeyAnswer } from './created.ts'
import { overlaps, rotateKeyPage } from './rotate-page.ts'

export async function showRotateKeyForm(context: WorkspaceContext): Promise<Answer> {
  requireManager(context.workspace)
  const key = await readWorkingKey(context)
  const chosen = draftOf(context)?.get('overlap') ?? ''
  const overlap = isOverlap(chosen) ? chosen : '24h'
  return htmlAnswer(200, rotateKeyPage({ chrome: context.chrome, key, overlap, once: createSecret() }))
}

export async function rotateKey(context: WorkspaceContext): Promise<Answer> {
  requireManager(context.workspace)
  const form = await readForm(context, context.chrome.csrf)
  const once = idempotencyTokenOf(form)
  const overlap = form.get('overlap') ?? ''
  if (!isOverlap(overlap)) throw incompleteForm('Choose how long the old key keeps working.')
  const rotation = createOnce(context, once, (keys) => keys.rotate(context.keyId, overlaps[overlap].ms))
  const created = await unlessEnded(rotation)
  if ('alreadyCreated' in created) return alreadyShownAnswer(context, created.alreadyCreated)
  const { replaced } = created
  const worksUntil = replaced.revokedAt === null ? endOf(replaced) : null
  return createdKeyAnswer(context, created, { label: replaced.label, worksUntil })
}

const isOverlap = (text: string): text is keyof typeof overlaps => Object.hasOwn(overlaps, text)
