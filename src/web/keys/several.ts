import { KeyChangeError } from '../../keys/change-error.ts'
import type { Keys } from '../../keys/life-cycle.ts'
import { readListing } from '../../keys/listing.ts'
import { type KeyOverview, readOverviews } from '../../keys/overview.ts'
import { findKeys, lockKey } from '../../keys/records.ts'
import { endOf, hasEnded } from '../../keys/state.ts'
import { counted } from '../../lib/format-count.ts'
import { type Html, html, named, type Part } from '../../lib/html.ts'
import { clip } from '../../lib/plain-text.ts'
import { hashSecret } from '../../lib/secret.ts'
import { nextTurn } from '../../lib/turns.ts'
import { findTicket } from '../../members/tickets.ts'
import type { HttpResponse } from '../../operation.ts'
import type { WorkspaceContext, WorkspaceHandler } from '../context.ts'
import { FaultyForm } from '../form.ts'
import { errorSummary, radios } from '../layout/field.ts'
import { formPage, type PageFrame, page } from '../layout/page.ts'
import { dateText, relativeText } from '../layout/time.ts'
import { findTicketOf, incompleteForm, rememberTicket, ticketIn } from '../once.ts'
import { paths } from '../paths.ts'
import { htmlResponse, pageNotFound, redirect } from '../responses.ts'
import { draftOf } from '../sign-in/return.ts'
import { changeKey } from './change.ts'
import { copyButton } from './create/created.ts'
import * as keyForm from './key-form.ts'
import { keyMark, statePill } from './key-parts.ts'
import { isOverlap, overlapField, overlaps } from './life-cycle/rotate.ts'
import { viewOf } from './list/list.ts'
import { chooseButtons } from './permissions.ts'

/** The form's and the transaction's size. */
const MAX_KEYS = 100
/** The mark tells keys apart, and 100 long labels would not fit into a page. */
const LABEL_SHOWN = 40

const actions = {
  expiry: { text: 'Set an expiry', title: 'Set an expiry on', done: 'has the new expiry' },
  rotate: { text: 'Rotate', title: 'Rotate', done: 'was rotated' },
  revoke: { text: 'Revoke or disconnect', title: 'Revoke', done: 'was revoked' },
} as const
type Action = keyof typeof actions

const toKeys = ({ workspace }: PageFrame) => ({ href: paths.keys(workspace.slug), text: 'API keys' })

/** Chooses the keys and the change, then asks for confirmation; afterwards, shows what was done. */
export const showSeveral: WorkspaceHandler = async (context) => {
  const { request, store, workspace, frame, nowMs } = context
  const asked = draftOf(context) ?? request.query
  if (request.query.has('result')) return showDone(context)
  if (asked.has('key')) return confirmation(context, asked)
  const clock = { nowMs, timezone: frame.timezone }
  const view = { ...viewOf(asked), page: 1, perPage: MAX_KEYS }
  const { pinned, keys: others, counts } = await readListing(store, workspace.workspaceId, view, clock)
  const keys = [...pinned, ...others]
  const open = keys.filter((key) => !hasEnded(key))
  return htmlResponse(200, severalPage(frame, open, counts[view.show] > keys.length, asked.has('action')))
}

export function severalPage(frame: PageFrame, keys: readonly KeyOverview[], isCut: boolean, isEmpty = false): string {
  const { slug } = frame.workspace
  const cut =
    isCut && html`<p class="hint">These are the first ${MAX_KEYS}. Search or filter the list to reach the others.</p>`
  const choices = Object.entries(actions).map(([value, { text }]) => ({ value, text }))
  return formPage(frame, {
    title: 'Change several keys',
    section: 'keys',
    lead: 'Nothing changes yet: the next page names each key and asks you to confirm.',
    back: toKeys(frame),
    notices: isEmpty && errorSummary({ keys: 'Choose at least one key.' }, 'Nothing was changed.'),
    method: 'get',
    action: paths.several(slug),
    fields: [
      html`<fieldset class="field"><legend>What to do</legend>${radios('action', choices, 'expiry')}</fieldset>`,
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
  const ends = end === null ? 'never expires' : `ends ${dateText(end, frame)}`
  const used = key.lastUsedAt === null ? 'never used' : `used ${relativeText(key.lastUsedAt, frame)}`
  return html`${named(clip(key.label, LABEL_SHOWN))} ${keyMark(key)} ${statePill(key)} <span class="faint">${ends}, ${used}</span>`
}

function choiceIn(form: URLSearchParams): { action: Action; ids: string[] } {
  const action = form.get('action') ?? ''
  const ids = [...new Set(form.getAll('key'))]
  if (!Object.hasOwn(actions, action)) throw incompleteForm('Choose what to do with the keys.')
  if (ids.length === 0 || ids.length > MAX_KEYS) throw incompleteForm(`Choose 1 to ${MAX_KEYS} keys.`)
  return { action: action as Action, ids }
}

const readKeys = ({ store, workspace, frame, nowMs }: WorkspaceContext, ids: readonly string[]) =>
  store.read((tx) => readOverviews(tx, workspace.workspaceId, ids, { nowMs, timezone: frame.timezone }))

async function confirmation(context: WorkspaceContext, asked: URLSearchParams): Promise<HttpResponse> {
  const { frame, config } = context
  const { action, ids } = choiceIn(asked)
  const values = asked.has('expiry') ? keyForm.valuesIn(asked) : { ...keyForm.newKeyDefaults, permissions: [] }
  const { expiryDate } = keyForm.checked(values, frame, []).errors
  const errors = expiryDate === undefined ? {} : { expiryDate }
  const model = { frame, action, keys: await readKeys(context, ids), values: keyForm.redacted(values), errors }
  return htmlResponse(200, confirmPage({ ...model, permissions: [], defaultQuota: config.quota }))
}

interface ConfirmModel extends keyForm.KeyFormModel {
  frame: PageFrame
  action: Action
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
    section: 'keys',
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

/** One transaction. A key whose state does not allow the change is left out and reported; each of the others is audited. */
export const changeSeveral: WorkspaceHandler = async (context, form) => {
  const { action, ids } = choiceIn(form)
  const { expiresAt } = keyForm.checked(keyForm.valuesIn(form), context.frame, [])
  if (action === 'expiry' && expiresAt === undefined) throw new FaultyForm(form)
  const overlap = form.get('overlap') ?? ''
  if (action === 'rotate' && !isOverlap(overlap)) throw incompleteForm('Choose how long the old keys keep working.')
  const change = async (keys: Keys, id: string): Promise<Rotated[]> => {
    if (action === 'rotate') return [await keys.rotate(id, isOverlap(overlap) ? overlaps[overlap].ms : 0)]
    await (action === 'expiry' ? keys.update(id, { expiresAt: expiresAt ?? null }) : keys.revoke(id))
    return []
  }
  const rotated = await changeKey(context, async (keys, tx) => {
    if ((await findTicketOf(context, tx, form)) !== undefined) return []
    const own = (await findKeys(tx, context.workspace.workspaceId, ids)).map(({ id }) => id)
    // All locks come before the first audit entry, in an order that other transactions share.
    for (const id of own.toSorted()) await lockKey(tx, id)
    const results: Result[] = []
    const created: Rotated[] = []
    for (const id of own) {
      // The thread also serves requests.
      await nextTurn()
      try {
        created.push(...(await change(keys, id)))
        results.push([id, null])
      } catch (error) {
        if (!(error instanceof KeyChangeError)) throw error
        results.push([id, error.reason])
      }
    }
    await rememberTicket(context, tx, form, { action, results: JSON.stringify(results) })
    return created
  })
  const done = paths.several(context.workspace.slug, { result: ticketIn(form) })
  if (rotated.length === 0) return redirect(done)
  return htmlResponse(200, newKeysPage(context.frame, rotated, done), [], { showsSecret: true })
}

type Rotated = Awaited<ReturnType<Keys['rotate']>>
type Result = [id: string, refused: KeyChangeError['reason'] | null]

/** The script wipes the element with `data-secret` when the person leaves. */
export function newKeysPage(frame: PageFrame, rotated: readonly Rotated[], done: string): string {
  const lines = rotated.map(({ token, key, replaced }) => `${token}  ${key.label} (replaces ${replaced.prefix}…)`)
  const title = counted(rotated.length, 'new key')
  const body = html`<section class="panel created" aria-labelledby="key-title"><h2 id="key-title">Copy them now</h2>
<p class="hint">This is the only time they are shown. Only their hashes are stored, so no one can show them to you again.</p>
<pre tabindex="0" aria-labelledby="key-title"><code id="keys" data-key data-secret>${lines.join('\n')}</code></pre>
<p class="buttons">${copyButton('keys', 'Copy all')}<a class="button" href="${done}" data-key-is-safe>Done, I have copied them</a></p></section>`
  return page(frame, { title, section: 'keys', back: toKeys(frame), body })
}

/** The ticket of the form that was sent remembers the outcome, so no other URL can claim one. */
async function showDone(context: WorkspaceContext): Promise<HttpResponse> {
  const hash = hashSecret(context.request.query.get('result') ?? '')
  const ticket = await context.store.read((tx) => findTicket(tx, hash, 'form'))
  const { action = '', results = '[]' } = ticket?.detail ?? {}
  if (ticket?.subject !== context.session.email || !Object.hasOwn(actions, action)) throw pageNotFound()
  const outcomes = new Map(JSON.parse(results) as Result[])
  const keys = await readKeys(context, [...outcomes.keys()])
  return htmlResponse(200, donePage(context.frame, action as Action, keys, outcomes))
}

const refusals: Partial<Record<KeyChangeError['reason'], string>> = {
  ended: 'not changed: it had already ended',
  rotated: 'not changed: it has already been rotated',
  connected: 'not changed: a connection cannot be rotated',
}

export function donePage(
  frame: PageFrame,
  action: Action,
  keys: readonly KeyOverview[],
  outcomes: ReadonlyMap<string, KeyChangeError['reason'] | null>,
): string {
  const { slug } = frame.workspace
  const fateOf = (id: string): Part => {
    const refused = outcomes.get(id) ?? null
    return refused === null ? actions[action].done : html`<strong>${refusals[refused] ?? 'not changed'}</strong>`
  }
  const changed = keys.filter(({ id }) => outcomes.get(id) === null).length
  const title = `${counted(changed, 'key')} changed${changed < keys.length ? `, ${keys.length - changed} not` : ''}`
  const shown = 'The new keys were shown once, when you rotated these. If you lose one, rotate it on its own page.'
  const body = html`<section class="panel part"><ul class="several">${keys.map((key) => html`<li><a href="${paths.key(slug, key.id)}">${named(clip(key.label, LABEL_SHOWN))}</a> ${keyMark(key)} ${statePill(key)} ${fateOf(key.id)}</li>\n`)}</ul></section>
<p class="buttons"><a class="button" href="${paths.keys(slug)}">Back to the keys</a></p>`
  return page(frame, { title, section: 'keys', lead: action === 'rotate' ? shown : null, back: toKeys(frame), body })
}
