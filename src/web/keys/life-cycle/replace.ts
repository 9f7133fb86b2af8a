import type { KeyOverview } from '../../../keys/overview.ts'
import { findKey } from '../../../keys/records.ts'
import { createSecret } from '../../../lib/secret.ts'
import type { WorkspaceHandler } from '../../context.ts'
import type { Notice, PageFrame } from '../../layout/page.ts'
import { htmlResponse } from '../../responses.ts'
import { createOnce, readReplaceableKey, readWorkingKey } from '../change.ts'
import { alreadyShownResponse, createdKeyResponse } from '../create/created.ts'
import { keyResponse } from '../key/key.ts'
import { keyQuestionPage, REPLACE_EFFECT } from '../key-parts.ts'

/** Replacing it would cut its user off. */
const USED: Notice = {
  tone: 'bad',
  text: 'This key has been used, so someone has it, and it was not replaced. Rotate it instead: you choose how long the old key keeps working.',
}

export const showReplaceKeyForm: WorkspaceHandler = async (context) => {
  const key = await readReplaceableKey(context)
  if (key.lastUsedAt !== null) return keyResponse(context, 409, key, USED)
  return htmlResponse(200, replaceKeyPage(context.frame, key, createSecret()))
}

export const replaceKey: WorkspaceHandler = async (context, form) => {
  const created = await createOnce(context, form, async (keys, tx) => {
    const isUsed = (await findKey(tx, context.keyId))?.lastUsedAt !== null
    return isUsed ? undefined : keys.replace(context.keyId)
  })
  if (created === undefined) return keyResponse(context, 409, await readWorkingKey(context), USED)
  if ('alreadyCreated' in created) return alreadyShownResponse(context, created.alreadyCreated)
  return createdKeyResponse(context, created, { label: created.replaced.label, worksUntil: null })
}

export const replaceKeyPage = (frame: PageFrame, key: KeyOverview, once: string): string =>
  keyQuestionPage(frame, key, {
    verb: 'Replace',
    lead: `For a key that no one has. ${REPLACE_EFFECT}`,
    action: 'replace',
    once,
    button: { text: 'Replace it', pending: 'Replacing…' },
    cancel: 'Keep it',
  })
