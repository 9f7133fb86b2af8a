import { isDeepStrictEqual } from 'node:util'
import type { Transaction } from '../../database/store.ts'
import { sentence } from '../../lib/plain-text.ts'
import { redactTokens } from '../../lib/redact.ts'
import { type MemberRecord, membersOf } from '../../members/records.ts'
import { managersAmong } from '../../members/roles.ts'
import { addTest, type Delivery, newestDeliveries } from '../../notices/outbox.ts'
import * as records from '../../notices/records.ts'
import { webhookFault } from '../../notices/webhook.ts'
import type { WorkspaceContext, WorkspaceHandler } from '../context.ts'
import { redirectWithNotice } from '../flash.ts'
import { alreadySent, incompleteForm, onlyOnce, ReopenForm } from '../form.ts'
import { breakable, type Html, html, isolated, type Part } from '../html.ts'
import { changedMeanwhile, conflictNotice, versionField } from '../layout/conflict.ts'
import { copyButton, csrfField, describe, errorSummary, onceField } from '../layout/field.ts'
import { type PageFrame, page } from '../layout/page.ts'
import { type DataRow, dataTable, type Status, statusDot } from '../layout/table.ts'
import { momentTime, relativeTime } from '../layout/time.ts'
import { changeMembers } from '../members/change.ts'
import { paths, sitePaths } from '../paths.ts'
import { htmlResponse } from '../responses.ts'

/** Besides those who are chosen already. Owners come first. */
const MAX_OFFERED = 100
const SHOWN_DELIVERIES = 20

export const showNotices: WorkspaceHandler = async (context) => {
  const { frame, workspace, store, config, draft } = context
  const read = await store.read(async (tx) => ({
    settings: await records.findNotices(tx, workspace.workspaceId),
    managers: await managersIn(tx, workspace.workspaceId),
    deliveries: await newestDeliveries(tx, workspace.workspaceId, SHOWN_DELIVERIES),
  }))
  const { managers, deliveries, settings = records.defaultNotices(managers, config.mail !== undefined) } = read
  const offered = managers.filter(({ email }, i) => i < MAX_OFFERED || settings.recipients.includes(email))
  const filled =
    draft === undefined ? { choices: settings, errors: {} } : readForm(context, withoutKey(draft, settings.webhookUrl))
  const saved = choicesOf(settings)
  const isConflict = draft !== undefined && changedMeanwhile(draft, choicesOf(filled.choices), saved).length > 0
  const channels = { hasMail: config.mail !== undefined, hasWebhook: settings.webhookUrl !== null }
  return htmlResponse(200, noticesPage({ frame, offered, deliveries, ...channels, ...filled, saved, isConflict }))
}

const choicesOf = ({ kinds, webhookUrl, recipients }: records.NoticeChoices) => ({ kinds, webhookUrl, recipients })

const managersIn = async (tx: Transaction, workspaceId: string) => managersAmong(await membersOf(tx, workspaceId))

function readForm({ config }: WorkspaceContext, form: URLSearchParams) {
  const kinds = records.noticeKinds.filter((kind) => form.getAll('kinds').includes(kind))
  const webhookUrl = form.get('webhook')?.trim() || null
  const recipients = [...new Set(form.getAll('recipients'))].sort()
  const errors = {
    webhook: webhookUrl === null ? undefined : webhookFault(webhookUrl, { allowPrivate: config.webhookPrivate }),
    recipients: recipientsFault({ kinds, webhookUrl, recipients }, config.mail !== undefined),
  }
  return { choices: { kinds, webhookUrl, recipients }, errors }
}

function recipientsFault(choices: records.NoticeChoices, hasMail: boolean): string | undefined {
  const { recipients } = choices
  if (recipients.length > records.MAX_RECIPIENTS) return `Choose at most ${records.MAX_RECIPIENTS} people.`
  // Without mail, people cannot be chosen: that no one is notified is only a warning.
  if (!hasMail || reachesSomeone(choices, hasMail)) return undefined
  return 'No one would be notified: choose at least one person, or enter a webhook.'
}

const reachesSomeone = ({ kinds, webhookUrl, recipients }: records.NoticeChoices, hasMail: boolean): boolean =>
  kinds.length === 0 || webhookUrl !== null || (hasMail && recipients.length > 0)

/** Someone may have typed a key. The saved URL may look like one, and stays. */
function withoutKey(form: URLSearchParams, savedUrl: string | null): URLSearchParams {
  const shown = new URLSearchParams(form)
  const typed = form.get('webhook')?.trim() ?? ''
  if (typed !== savedUrl) shown.set('webhook', redactTokens(typed))
  return shown
}

export const submitNotices: WorkspaceHandler = async (context, form) => {
  const { workspaceId, slug } = context.workspace
  const { choices, errors } = readForm(context, form)
  if (errors.webhook !== undefined || errors.recipients !== undefined) throw new ReopenForm()
  await changeMembers(context, 'owner', async (tx, manager) => {
    await records.lockNotices(tx, workspaceId)
    const managers = await managersIn(tx, workspaceId)
    const emails = managers.map(({ email }) => email)
    const byDefault = records.defaultNotices(managers, context.config.mail !== undefined)
    const saved = choicesOf((await records.findNotices(tx, workspaceId)) ?? byDefault)
    const wanted = { ...choices, recipients: choices.recipients.filter((email) => emails.includes(email)) }
    if (isDeepStrictEqual(wanted, saved)) return
    if (changedMeanwhile(form, choicesOf(wanted), saved).length > 0) throw new ReopenForm()
    await records.saveNotices(tx, workspaceId, wanted, manager)
  })
  const isHeard = reachesSomeone(choices, context.config.mail !== undefined)
  return redirectWithNotice(context, paths.notices(slug), isHeard ? 'notices-saved' : 'notices-unheard')
}

const SECRET_SHOWN = 'The secret was shown the first time. If you did not copy it, create another one.'

/** Only this response contains the secret. */
export const submitNewSecret: WorkspaceHandler = async (context, form) => {
  const { workspaceId, slug } = context.workspace
  const back = { href: paths.notices(slug), text: 'Back to the notices' }
  const secret = await changeMembers(context, 'owner', async (tx, manager) => {
    const remember = await onlyOnce(context, tx, form, () => alreadySent(SECRET_SHOWN, back))
    if (!(await records.findNotices(tx, workspaceId))?.webhookUrl) throw incompleteForm('Save a webhook first.')
    await remember()
    return records.replaceSecret(tx, workspaceId, manager)
  })
  return htmlResponse(200, secretPage(context.frame, secret))
}

export const sendTest: WorkspaceHandler = async (context) => {
  const { workspace, session, config } = context
  const { workspaceId, slug } = workspace
  const isAdded = await changeMembers(context, 'owner', async (tx) => {
    const webhook = (await records.findNotices(tx, workspaceId))?.webhookUrl ? [null] : []
    const mail = config.mail === undefined ? [] : [session.email]
    const to = [...webhook, ...mail]
    if (to.length === 0) throw incompleteForm('Save a webhook first.')
    return addTest(tx, workspaceId, session.email, to)
  })
  return redirectWithNotice(context, paths.notices(slug), isAdded ? 'test-sent' : 'too-many-tests')
}

export interface NoticesModel {
  frame: PageFrame
  choices: records.NoticeChoices
  /** The choices that are in effect. */
  saved: records.NoticeChoices
  /** Someone else saved other choices while the form was open. */
  isConflict: boolean
  errors: { webhook?: string | undefined; recipients?: string | undefined }
  /** Owners and admins. */
  offered: readonly Pick<MemberRecord, 'email' | 'role'>[]
  hasMail: boolean
  hasWebhook: boolean
  deliveries: readonly Delivery[]
}

const kindText: Record<records.NoticeKind, string> = {
  leaked: 'Keys sent in a URL or from a web page, and connections whose code or refresh token was used twice',
  expiring: 'Keys that expire within 14 days and have no successor',
  refused: 'Keys refused 50 times in a day',
  quota: 'Keys that have used up their quota',
  source: 'Sources that have failed for 10 minutes or stopped syncing',
  connection: 'Agents connected by signing in',
  member: 'Members added, removed or given another role',
}

export function noticesPage(model: NoticesModel): string {
  const { frame, errors } = model
  const isOwner = frame.role === 'owner'
  const body = [
    errorSummary(errors, 'Nothing was saved.'),
    model.isConflict && conflictNotice('the notices', [current(frame)]),
    isOwner
      ? html`<div class="with-detail">${choicesForm(model)}<div class="beside">${tests(model)}</div></div>`
      : chosen(model),
    deliveriesSection(model),
  ]
  const lead = html`Events that owners and admins are notified about by mail or webhook. <a href="${sitePaths.guide('notices')}">How notices work</a>`
  return page(frame, { title: 'Notices', lead, body })
}

/** An unsubscribe link may have changed them too. */
const current = ({ workspace }: PageFrame): Html =>
  html`<a href="${paths.notices(workspace.slug)}" target="_blank">See what they are now</a>`

const check = (name: string, value: string, isChecked: boolean, text: Part, attributes: Part = null): Html =>
  html`<label class="check"><input type="checkbox" name="${name}" value="${value}"${isChecked && html` checked`}${attributes}><span>${text}</span></label>`

/** Without mail, people stay chosen but cannot be changed: a browser does not send a disabled box. */
function recipient({ email, role }: NoticesModel['offered'][number], { choices, errors, hasMail }: NoticesModel): Part {
  const isChosen = choices.recipients.includes(email)
  const attributes = hasMail ? describe('recipients', null, errors.recipients).attributes : html` disabled`
  const text = html`${breakable(email)} <span class="sub">${role}</span>`
  const kept = !hasMail && isChosen && html`<input type="hidden" name="recipients" value="${email}">`
  return [check('recipients', email, isChosen, text, attributes), kept]
}

function choicesForm(model: NoticesModel): Html {
  const { frame, choices, saved, errors, offered, hasMail } = model
  const hint = 'Gets a signed POST with JSON. Slack’s incoming webhooks also work.'
  const webhook = describe('webhook', hint, errors.webhook)
  const people = describe('recipients', null, errors.recipients)
  return html`<form class="form panel" method="post" action="${paths.notices(frame.workspace.slug)}" novalidate>${csrfField(frame)}${versionField(saved)}
<fieldset class="field"><legend>Notify about</legend>${records.noticeKinds.map((kind) => check('kinds', kind, choices.kinds.includes(kind), kindText[kind]))}</fieldset>
<fieldset class="field" id="recipients"><legend>By mail to</legend>${offered.map((person) => recipient(person, model))}${people.text}${!hasMail && html`<p class="hint">Mail is not set up on this service: ask its operator, or use a webhook.</p>`}</fieldset>
<div class="field"><label for="webhook">Webhook</label>
<input id="webhook" name="webhook" type="url" value="${choices.webhookUrl}" maxlength="500" spellcheck="false" autocomplete="off" placeholder="https://"${webhook.attributes}>${webhook.text}</div>
<div class="buttons"><button class="button primary">Save</button></div></form>`
}

/** A webhook's path may be a secret, so admins see only its host. */
function chosen({ choices }: NoticesModel): Html {
  const { kinds, recipients, webhookUrl } = choices
  const list = (items: readonly Part[]) =>
    items.length === 0 ? html`<p class="faint">None</p>` : html`<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>`
  return html`<section class="panel part" aria-labelledby="chosen"><h2 id="chosen">What is sent</h2><p class="hint">Only owners can change this.</p>
${list(kinds.map((kind) => kindText[kind]))}
<h2>Where</h2>${list([...recipients.map(breakable), ...(webhookUrl === null ? [] : [html`the webhook at ${breakable(URL.parse(webhookUrl)?.host ?? '')}`])])}</section>`
}

function tests({ frame, hasMail, hasWebhook }: NoticesModel): Part {
  const { slug } = frame.workspace
  const targets = [hasMail && 'you by mail', hasWebhook && 'the webhook'].filter((target) => target !== false)
  return [
    targets.length > 0 &&
      html`<section class="panel part" aria-labelledby="test-title"><h2 id="test-title">Test</h2><p>Sends a test to ${targets.join(' and to ')}.</p>
<form method="post" action="${paths.notices(slug, 'test')}">${csrfField(frame)}<button class="button" data-pending="Sending…">Send a test</button></form></section>`,
    hasWebhook &&
      html`<section class="panel part" aria-labelledby="secret-title"><h2 id="secret-title">Signing secret</h2><p>The receiver checks each webhook with it. A new one is shown once, and replaces the previous one immediately; rejected webhooks are retried for a day.</p>
<form method="post" action="${paths.notices(slug, 'secret')}">${csrfField(frame)}${onceField()}<button class="button" data-pending="Creating…">Create a new signing secret</button></form></section>`,
  ]
}

export function secretPage(frame: PageFrame, secret: string): string {
  const back = { href: paths.notices(frame.workspace.slug), text: 'Notices' }
  const body = html`<section class="panel part"><p>It is not shown again. Give it to the receiver, which checks the signature of each webhook with it.</p><div class="secret"><code id="secret" data-secret>${secret}</code>${copyButton('secret', 'Copy secret')}</div><p><a class="button" href="${back.href}">Back to the notices</a></p></section>`
  return page(frame, { title: 'Copy the signing secret now', back, body })
}

const states: Record<Delivery['state'], Status> = {
  waiting: ['', 'Waiting'],
  sent: ['', 'Sent'],
  failed: ['bad', 'Given up'],
  dropped: ['warn', 'Not sent'],
}

function deliveriesSection({ frame, deliveries }: NoticesModel): Html {
  const rows = deliveries.map((delivery) => deliveryRow(delivery, frame))
  return html`<section aria-labelledby="deliveries"><div class="section-head"><h2 id="deliveries">Last deliveries</h2></div>
${deliveries.length === 0 ? html`<p class="panel empty">Nothing has been sent in the last 30 days.</p>` : html`<div class="panel">${dataTable({ caption: 'Deliveries, newest first', className: 'deliveries', columns: ['Notice', 'To', 'When', 'State'], rows })}</div>`}</section>`
}

function deliveryRow(
  { text, events, recipient, createdAt, state, attempts, nextAt, reason }: Delivery,
  frame: PageFrame,
): DataRow {
  const isRepeated = state === 'waiting' && reason !== null
  const next = isRepeated ? html` Attempt ${attempts} failed; the next is ${relativeTime(nextAt, frame)}.` : null
  return {
    head: html`${isolated(text ?? 'Deleted')}${events > 1 && html` <span class="sub">and ${events - 1} more</span>`}`,
    cells: [
      recipient === null ? 'Webhook' : breakable(recipient),
      momentTime(createdAt, frame),
      statusDot(states[state]),
    ],
    notes:
      reason === null
        ? []
        : [html`<p class="note ${state === 'failed' ? 'bad' : 'warn'}">${breakable(sentence(reason))}${next}</p>`],
  }
}
