import type { KeyOverview } from '../../../keys/overview.ts'
import { findKey } from '../../../keys/records.ts'
import { html, quoted } from '../../../lib/html.ts'
import { createSecret } from '../../../lib/secret.ts'
import type { WorkspaceHandler } from '../../context.ts'
import { heading, type PageFrame, page } from '../../layout/page.ts'
import { paths } from '../../paths.ts'
import { htmlResponse } from '../../responses.ts'
import { createOnce, readWorkingKey } from '../change.ts'
import { alreadyShownResponse, createdKeyResponse } from '../create/created.ts'
import { keyFacts, keyQuestionPage, REPLACE_EFFECT } from '../key-parts.ts'

export const showReplaceKeyForm: WorkspaceHandler = async (context) => {
  const { frame } = context
  const key = await readWorkingKey(context)
  if (key.lastUsedAt !== null) return htmlResponse(409, usedKeyPage(frame, key))
  return htmlResponse(200, replaceKeyPage(frame, key, createSecret()))
}

/** For a key that was shown once and lost: it is revoked, and a new one shown in its place. */
export const replaceKey: WorkspaceHandler = async (context, form) => {
  const created = await createOnce(context, form, async (keys, tx) => {
    const isUsed = (await findKey(tx, context.keyId))?.lastUsedAt !== null
    return isUsed ? undefined : keys.replace(context.keyId)
  })
  if (created === undefined) return htmlResponse(409, usedKeyPage(context.frame, await readWorkingKey(context)))
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

/** For a key that was used: replacing it would cut its user off. */
export function usedKeyPage(frame: PageFrame, key: KeyOverview): string {
  const { slug } = frame.workspace
  const keys = paths.keys(slug)
  const lead =
    'So someone has it, and would be refused. Rotate it instead: you choose how long the old key keeps working.'
  const body = html`${heading({ title: html`${quoted(key.label)} has been used`, lead, back: { href: keys, text: 'API keys' } })}
<section class="panel prose">${keyFacts(key, frame)}</section>
<p class="buttons"><a class="button primary" href="${paths.key(slug, key.id, 'rotate')}">Rotate ${quoted(key.label)}</a><a class="button" href="${keys}">Back to the keys</a></p>`
  return page(frame, { title: `${key.label} has been used`, section: 'keys', body })
}
