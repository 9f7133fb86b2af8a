import { setImmediate } from 'node:timers/promises'
import { isKeyId, KeyChangeError, type KeyChangeReason, type Keys } from '../../keys/life-cycle.ts'
import { type ListingRequest, readListing } from '../../keys/listing.ts'
import { type KeyOverview, readOverviews } from '../../keys/overview.ts'
import { findKeys, type KeyRecord, lockKey } from '../../keys/records.ts'
import { endOf, hasEnded } from '../../keys/state.ts'
import { counted } from '../../lib/format-count.ts'
import type { LocalTime } from '../../lib/local-dates.ts'
import { clip } from '../../lib/plain-text.ts'
import type { WorkspaceContext, WorkspaceHandler } from '../context.ts'
import { noticeNamed, redirectWithNotice } from '../flash.ts'
import { alreadySent, incompleteForm, onlyOnce, ReopenForm } from '../form.ts'
import { type Html, html, isolated } from '../html.ts'
import { chooseButtons, copyButton, errorSummary, radios } from '../layout/field.ts'
import { formPage, type PageFrame, page } from '../layout/page.ts'
import { lastDayText, relativeText } from '../layout/time.ts'
import { paths } from '../paths.ts'
import { htmlResponse } from '../responses.ts'
import { changeKeys } from './change.ts'
import * as keyForm from './key-form.ts'
import { keyMark, statePill } from './key-parts.ts'
import { isOverlap, overlapField, overlaps } from './life-cycle/rotate.ts'
import { viewOf } from './list.ts'

/** Limits the size of the form and of the transaction. */
const MAX_KEYS = 100
/** The mark distinguishes keys, and 100 long labels would not fit into a page. */
const LABEL_SHOWN = 40
/** Fits into a cookie. */
const NAMES_SHOWN = 8

const actions = {
  expiry: { text: 'Set an expiry', title: 'Set an expiry on' },
  rotate: { text: 'Rotate', title: 'Rotate' },
  revoke: { text: 'Revoke or disconnect', title: 'Revoke' },
} as const
type BulkAction = keyof typeof actions

const toKeys = ({ workspace }: PageFrame) => ({ href: paths.keys(workspace.slug), text: 'API keys' })

/** Chooses the keys and the change, then asks for confirmation. */
export const showSeveral: WorkspaceHandler = async (context) => {
  const { request, store, workspace, frame, draft } = context
  const asked = draft ?? request.query
  if (asked.has('key')) return confirmation(context, asked)
  const view = { ...viewOf(asked), page: 1, perPage: MAX_KEYS }
  const { pinned, keys: others, counts } = await readListing(store, workspace.workspaceId, view, frame)
  const keys = [...pinned, ...others]
  const open = keys.filter((key) => !hasEnded(key))
  const isCut = counts[view.show] > keys.length
  return htmlResponse(200, severalPage(frame, open, isCut, { ...view, action: asked.get('action') }))
}

/** There is an action if no key was chosen for it. */
export function severalPage(
  frame: PageFrame,
  keys: readonly KeyOverview[],
  isCut: boolean,
  { search, show, sort, action = null }: Partial<Omit<ListingRequest, 'page'> & { action: string | null }> = {},
): string {
  const { slug } = frame.workspace
  const cut =
    isCut && html`<p class="hint">These are the first ${MAX_KEYS}. Search or filter the list to reach the others.</p>`
  const choices = Object.entries(actions).map(([value, { text }]) => ({ value, text }))
  return formPage(frame, {
    title: 'Change several keys',
    lead: 'Nothing changes yet: the next page names each key and asks you to confirm.',
    back: toKeys(frame),
    notices: action !== null && errorSummary({ keys: 'Choose at least one key.' }, 'Nothing was changed.'),
    method: 'get',
    action: paths.several(slug),
    fields: [
      html`<fieldset class="field"><legend>What to do</legend>${radios('action', choices, action !== null && action in actions ? action : 'expiry')}</fieldset>`,
      Object.entries({ q: search, show, sort }).map(
        ([name, value = '']) => value !== '' && html`<input type="hidden" name="${name}" value="${value}">`,
      ),
      html`<fieldset class="field" id="keys" data-filter><legend id="keys-title">Keys</legend>${cut}<div data-group>${chooseButtons('keys-title')}<ul class="several">${keys.map(
        (key) =>
          html`<li data-item><label class="check"><input type="checkbox" name="key" value="${key.id}"><span>${keyLine(key, frame)}</span></label></li>\n`,
      )}</ul></div></fieldset>`,
    ],
    button: { text: 'Continue' },
    cancel: { href: paths.keys(slug), text: 'Cancel' },
  })
}

function keyLine(key: KeyOverview, frame: PageFrame): Html {
  const end = endOf(key)
  const ends = end === null ? 'never expires' : `ends ${lastDayText(end, frame)}`
  const used = key.lastUsedAt === null ? 'never used' : `used ${relativeText(key.lastUsedAt, frame)}`
  return html`${isolated(clip(key.label, LABEL_SHOWN))} ${keyMark(key)} ${statePill(key)} <span class="faint">${ends}, ${used}</span>`
}

function choiceIn(form: URLSearchParams): { action: BulkAction; ids: string[] } {
  const action = form.get('action') ?? ''
  const ids = [...new Set(form.getAll('key').filter(isKeyId))]
  if (!Object.hasOwn(actions, action)) throw incompleteForm('Choose what to do with the keys.')
  if (ids.length === 0 || ids.length > MAX_KEYS) throw incompleteForm(`Choose 1 to ${MAX_KEYS} keys.`)
  return { action: action as BulkAction, ids }
}

async function confirmation(context: WorkspaceContext, asked: URLSearchParams) {
  const { store, workspace, frame } = context
  const { action, ids } = choiceIn(asked)
  const keys = await store.read((tx) => readOverviews(tx, workspace.workspaceId, ids, frame))
  const values = asked.has('expiry') ? keyForm.valuesIn(asked) : { ...keyForm.newKeyDefaults, permissions: [] }
  const { error } = keyForm.checkExpiry(values, frame)
  const errors = error === undefined ? {} : { expiryDate: error }
  return htmlResponse(200, confirmPage({ frame, action, keys, values: keyForm.redacted(values), errors }))
}

interface ConfirmModel extends Pick<keyForm.KeyFormModel, 'values' | 'errors'> {
  frame: PageFrame
  action: BulkAction
  keys: readonly KeyOverview[]
}

export function confirmPage(model: ConfirmModel): string {
  const { frame, action, keys, errors } = model
  const { slug } = frame.workspace
  const title = `${actions[action].title} ${counted(keys.length, 'key')}`
  const effect = {
    expiry: 'The keys stay the same. Those that already have an expiry get this one instead.',
    rotate:
      'Each gets a successor with the same permissions, rate limit, networks and lifetime. The new keys are shown once, on one page.',
    revoke: 'Requests with these keys are refused immediately. This cannot be undone.',
  }[action]
  return formPage(frame, {
    title,
    heading: `${title}?`,
    lead: effect,
    back: { href: paths.several(slug), text: 'Change several keys' },
    notices: errorSummary(errors, 'Nothing was changed.'),
    action: paths.several(slug),
    once: true,
    fields: [
      html`<input type="hidden" name="action" value="${action}"><ul class="several">${keys.map((key) => html`<li><input type="hidden" name="key" value="${key.id}">${keyLine(key, frame)}</li>\n`)}</ul>`,
      action === 'expiry' && keyForm.expiryField(model, keyForm.newKeyPeriods),
      action === 'rotate' && overlapField(keys.some(({ warnings }) => warnings.length > 0) ? '0' : '24h'),
    ],
    button: { text: title, pending: 'Changing…', isDestructive: action === 'revoke' },
    cancel: { href: paths.keys(slug), text: 'Cancel' },
  })
}

type Change = (keys: Keys, id: string) => Promise<RotatedKey | undefined>

/** Throws if the form lacks what the action needs. */
function changeIn(form: URLSearchParams, action: BulkAction, time: LocalTime): Change {
  if (action === 'revoke') return async (keys, id) => void (await keys.revoke(id))
  if (action === 'rotate') {
    const overlap = form.get('overlap') ?? ''
    if (!isOverlap(overlap)) throw incompleteForm('Choose how long the old keys keep working.')
    return (keys, id) => keys.rotate(id, overlaps[overlap].ms)
  }
  const { expiresAt } = keyForm.checkExpiry(keyForm.valuesIn(form), time)
  if (expiresAt === undefined) throw new ReopenForm()
  return async (keys, id) => void (await keys.update(id, { expiresAt }))
}

/** One transaction. A key whose state does not allow the change is left out and reported; each of the others is audited. */
export const changeSeveral: WorkspaceHandler = async (context, form) => {
  const { frame, workspace } = context
  const { action, ids } = choiceIn(form)
  const change = changeIn(form, action, frame)
  const { rotated, changed, unchanged } = await changeKeys(context, async (keys, tx) => {
    const remember = await onlyOnce(context, tx, form, () => alreadySent(SENT, toKeys(frame)))
    const own = await findKeys(tx, workspace.workspaceId, ids)
    // All locks come before the first audit entry, in an order that other transactions share.
    for (const id of own.map((key) => key.id).sort()) await lockKey(tx, id)
    const rotated: RotatedKey[] = []
    const unchanged: UnchangedKey[] = []
    for (const key of own) {
      // The thread also serves requests. Not `nextTurn`: other writers wait for this transaction, which must not wait for long reads.
      await setImmediate()
      try {
        const replacement = await change(keys, key.id)
        if (replacement !== undefined) rotated.push(replacement)
      } catch (error) {
        if (!(error instanceof KeyChangeError)) throw error
        unchanged.push({ key, reason: error.reason })
      }
    }
    await remember()
    return { rotated, changed: own.length - unchanged.length, unchanged }
  })
  const isDone = changed === ids.length
  const about = isDone
    ? counted(changed, 'key')
    : notChanged(changed, unchanged, ids.length - changed - unchanged.length)
  const done = isDone ? 'keys-changed' : 'keys-not-changed'
  if (rotated.length === 0) return redirectWithNotice(context, paths.keys(workspace.slug), done, { about })
  const notice = isDone ? null : noticeNamed(done, about)
  return htmlResponse(200, newKeysPage({ ...frame, notice }, rotated), [], { showsSecret: true })
}

const reasonText: Partial<Record<KeyChangeReason, string>> = {
  ended: 'Already ended',
  rotated: 'Already rotated',
  connected: 'Not rotated, because their clients renew their own tokens',
}

/** Grouped by reason. `missing` counts those that are no longer stored. */
function notChanged(changed: number, unchanged: readonly UnchangedKey[], missing: number): string {
  const groups = Map.groupBy(unchanged, ({ reason }) => reasonText[reason] ?? 'Changed meanwhile')
  const each = Array.from(groups, ([why, keys]) => {
    const names = keys.slice(0, Math.floor(NAMES_SHOWN / groups.size)).map(({ key }) => nameOf(key))
    const others = keys.length > names.length ? `, and ${keys.length - names.length} more` : ''
    return ` ${why}: ${names.join(', ')}${others}.`
  })
  const outcome =
    changed === 0 ? 'Nothing was changed' : `${counted(changed, 'key')} changed, ${unchanged.length + missing} not`
  return `${outcome}.${each.join('')}${missing === 0 ? '' : ` No longer stored: ${missing}.`}`
}

const nameOf = ({ label, prefix, client }: KeyRecord): string =>
  `“${clip(label, LABEL_SHOWN)}” (${client === null ? `${prefix}…` : clip(client.host, LABEL_SHOWN)})`

const SENT =
  'The first time, it changed the keys. New keys were shown only then: if you did not copy one, rotate it on its own page.'

type UnchangedKey = { key: KeyRecord; reason: KeyChangeReason }
type RotatedKey = Awaited<ReturnType<Keys['rotate']>>

/** The script wipes the element with `data-secret` when the person leaves. */
export function newKeysPage(frame: PageFrame, rotated: readonly RotatedKey[]): string {
  const lines = rotated.map(({ token, key, replaced }) => `${token}  ${key.label} (replaces ${replaced.prefix}…)`)
  const title = counted(rotated.length, 'new key')
  const body = html`<section class="panel created" aria-labelledby="key-title"><h2 id="key-title">Copy them now</h2>
<p class="hint">This is the only time they are shown. Only their hashes are stored, so no one can show them to you again.</p>
<pre tabindex="0" aria-labelledby="key-title"><code id="keys" data-key data-secret>${lines.join('\n')}</code></pre>
<p class="buttons">${copyButton('keys', 'Copy all')}<a class="button" href="${paths.keys(frame.workspace.slug)}" data-key-is-safe>Done, I have copied them</a></p></section>`
  return page(frame, { title, back: toKeys(frame), body })
}
