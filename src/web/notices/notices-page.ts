import { sentence } from '../../lib/plain-text.ts'
import type { MemberRecord } from '../../members/records.ts'
import type { Delivery } from '../../notices/outbox.ts'
import { type NoticeChoices, type NoticeKind, noticeKinds } from '../../notices/records.ts'
import { breakable, type Html, html, isolated, type Part } from '../html.ts'
import { conflictNotice, versionField } from '../layout/conflict.ts'
import { copyButton, csrfField, describe, errorSummary, onceField } from '../layout/field.ts'
import { type PageFrame, page } from '../layout/page.ts'
import { type DataRow, dataTable, type Status, statusDot } from '../layout/table.ts'
import { momentTime, relativeTime } from '../layout/time.ts'
import { paths, sitePaths } from '../paths.ts'

export interface NoticesModel {
  frame: PageFrame
  choices: NoticeChoices
  /** What is sent now. */
  saved: NoticeChoices
  /** Someone else saved other choices while the form was open. */
  isConflict: boolean
  errors: { webhook?: string | undefined; recipients?: string | undefined }
  /** Owners and admins. */
  offered: readonly Pick<MemberRecord, 'email' | 'role'>[]
  hasMail: boolean
  hasWebhook: boolean
  deliveries: readonly Delivery[]
}

const kindText: Record<NoticeKind, string> = {
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
    isOwner ? choicesForm(model) : chosen(model),
    isOwner && tests(model),
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

function choicesForm({ frame, choices, saved, errors, offered, hasMail }: NoticesModel): Html {
  const hint = 'Gets a signed POST with JSON. Slack’s incoming webhooks also work.'
  const webhook = describe('webhook', hint, errors.webhook)
  const people = describe('recipients', null, errors.recipients)
  return html`<form class="form panel" method="post" action="${paths.notices(frame.workspace.slug)}" novalidate>${csrfField(frame)}${versionField(saved)}
<fieldset class="field"><legend>Notify about</legend>${noticeKinds.map((kind) => check('kinds', kind, choices.kinds.includes(kind), kindText[kind]))}</fieldset>
<fieldset class="field" id="recipients"><legend>By mail to</legend>${offered.map(({ email, role }) => check('recipients', email, choices.recipients.includes(email), html`${breakable(email)} <span class="sub">${role}</span>`, people.attributes))}${people.text}${!hasMail && html`<p class="hint">No mail is sent yet: the operator of this service has not set SMTP_URL.</p>`}</fieldset>
<div class="field"><label for="webhook">Webhook</label>
<input id="webhook" name="webhook" type="url" value="${choices.webhookUrl}" maxlength="500" spellcheck="false" autocomplete="off" placeholder="https://"${webhook.attributes}>${webhook.text}</div>
<div class="buttons"><button class="button primary">Save</button></div></form>`
}

/** A webhook's path may be a secret, so admins see only its host. */
function chosen({ choices }: NoticesModel): Html {
  const { kinds, recipients, webhookUrl } = choices
  const list = (items: readonly Part[]) =>
    items.length === 0 ? html`<p class="faint">None</p>` : html`<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>`
  return html`<section class="panel prose" aria-labelledby="chosen"><h2 id="chosen">What is sent</h2><p class="hint">Only owners can change this.</p>
${list(kinds.map((kind) => kindText[kind]))}
<h2>Where</h2>${list([...recipients.map(breakable), ...(webhookUrl === null ? [] : [html`the webhook at ${breakable(URL.parse(webhookUrl)?.host ?? '')}`])])}</section>`
}

function tests({ frame, hasMail, hasWebhook }: NoticesModel): Part {
  const { slug } = frame.workspace
  const targets = [hasMail && 'you by mail', hasWebhook && 'the webhook'].filter((target) => target !== false)
  return [
    targets.length > 0 &&
      html`<section class="panel prose" aria-labelledby="test-title"><h2 id="test-title">Test</h2><p>Sends a test to ${targets.join(' and to ')}.</p>
<form method="post" action="${paths.notices(slug, 'test')}">${csrfField(frame)}<button class="button" data-pending="Sending…">Send a test</button></form></section>`,
    hasWebhook &&
      html`<section class="panel prose" aria-labelledby="secret-title"><h2 id="secret-title">Signing secret</h2><p>The receiver checks each webhook with it. A new one is shown once, and replaces the previous one immediately; rejected webhooks are retried for a day.</p>
<form method="post" action="${paths.notices(slug, 'secret')}">${csrfField(frame)}${onceField()}<button class="button" data-pending="Creating…">Create a new signing secret</button></form></section>`,
  ]
}

export function secretPage(frame: PageFrame, secret: string): string {
  const back = { href: paths.notices(frame.workspace.slug), text: 'Notices' }
  const body = html`<section class="panel prose"><p>It is not shown again. Give it to the receiver, which checks the signature of each webhook with it.</p><div class="secret"><code id="secret" data-secret>${secret}</code>${copyButton('secret', 'Copy secret')}</div><p><a class="button" href="${back.href}">Back to the notices</a></p></section>`
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
