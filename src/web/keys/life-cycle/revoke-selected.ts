import { isKeyId } from '../../../keys/life-cycle.ts'
import { KEYS_PER_PAGE, type ListingRequest } from '../../../keys/listing.ts'
import { type KeyOverview, readOverviews } from '../../../keys/overview.ts'
import { findKeys, lockKey } from '../../../keys/records.ts'
import { hasEnded, isOpen } from '../../../keys/state.ts'
import { counted } from '../../../lib/format-count.ts'
import type { LocalTime } from '../../../lib/local-dates.ts'
import type { WorkspaceHandler } from '../../context.ts'
import { redirectWithNotice } from '../../flash.ts'
import { alreadySent, incompleteForm, onlyOnce, ReopenForm } from '../../form.ts'
import { type Html, html, inQuotes, isolated } from '../../html.ts'
import { formPage, noticeLine, type PageFrame } from '../../layout/page.ts'
import { relativeTime } from '../../layout/time.ts'
import { paths } from '../../paths.ts'
import { htmlResponse } from '../../responses.ts'
import { changeKeys } from '../change.ts'
import { keyMark, statePill } from '../key-parts.ts'
import { viewFields, viewOf } from '../list.ts'

/** A page of the list has no more. */
function selectedIn(form: URLSearchParams): string[] {
  const ids = [...new Set(form.getAll('key').filter(isKeyId))]
  if (ids.length > KEYS_PER_PAGE) throw incompleteForm(`Select at most ${KEYS_PER_PAGE} keys.`)
  return ids
}

export const showRevokeSelectedForm: WorkspaceHandler = async (context) => {
  const { request, store, workspace, frame, draft } = context
  const form = draft ?? request.query
  const view = viewOf(form)
  const keys = await store.read((tx) => readOverviews(tx, workspace.workspaceId, selectedIn(form), frame))
  if (keys.every(hasEnded)) {
    const fault = keys.length === 0 ? 'no-key-selected' : 'keys-ended'
    return redirectWithNotice(context, paths.keys(workspace.slug, view), fault)
  }
  return htmlResponse(200, revokeSelectedPage(frame, view, keys))
}

/** At least one of the keys has not ended. */
export function revokeSelectedPage(frame: PageFrame, view: ListingRequest, keys: readonly KeyOverview[]): string {
  const { slug } = frame.workspace
  const open = keys.filter((key) => !hasEnded(key))
  const title = `Revoke ${counted(open.length, 'key')}`
  const reconnect = 'Connected clients among them will have to be connected again to read this workspace.'
  return formPage(frame, {
    title,
    guide: ['settings#rotating-and-revoking-a-key', 'rotating and revoking a key'],
    heading: `${title}?`,
    lead: `Requests with these keys are refused immediately. This cannot be undone. ${open.some(({ client }) => client !== null) ? reconnect : ''}`,
    back: { href: paths.keys(slug, view), text: 'API keys' },
    notices: endedNotice(keys.filter(hasEnded)),
    action: paths.revokeSelected(slug),
    once: true,
    fields: [viewFields(view), html`<ul class="selected">${open.map((key) => selectedKey(key, frame))}</ul>`],
    button: { text: title, pending: 'Revoking…', isDestructive: true },
    cancel: { href: paths.keys(slug, view), text: 'Keep them' },
  })
}

function selectedKey(key: KeyOverview, time: LocalTime): Html {
  const used = key.lastUsedAt === null ? 'never used' : html`last used ${relativeTime(key.lastUsedAt, time)}`
  return html`<li><input type="hidden" name="key" value="${key.id}"><strong>${isolated(key.label)}</strong> ${keyMark(key)} <span class="sub">${statePill(key)} ${used}</span></li>\n`
}

const endedNotice = (keys: readonly KeyOverview[]) =>
  keys.length > 0 &&
  noticeLine(
    'warn',
    html`Already ended, and left out: ${keys.map((key, index) => html`${index > 0 && ', '}${inQuotes(key.label)} (${keyMark(key)})`)}.`,
    'alert',
  )

/** Revokes all of them or, if one has ended meanwhile, none: the person then sees which, and confirms the others. */
export const revokeSelected: WorkspaceHandler = async (context, form) => {
  const { slug, workspaceId } = context.workspace
  const list = paths.keys(slug, viewOf(form))
  const ids = selectedIn(form)
  await changeKeys(context, async (keys, tx) => {
    const remember = await onlyOnce(context, tx, form, () =>
      alreadySent('The first time, it revoked the keys.', { href: list, text: 'API keys' }),
    )
    // All locks come before the first audit entry, in an order that other transactions share.
    for (const id of ids.sort()) await lockKey(tx, id)
    const open = (await findKeys(tx, workspaceId, ids)).filter((key) => isOpen(key, tx.nowMs))
    if (open.length === 0 || open.length < ids.length) throw new ReopenForm()
    for (const { id } of open) await keys.revoke(id)
    await remember()
  })
  return redirectWithNotice(context, list, 'keys-revoked', { about: counted(ids.length, 'key') })
}
