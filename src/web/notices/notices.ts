import { isDeepStrictEqual } from 'node:util'
import type { Transaction } from '../../database/store.ts'
import { redactTokens } from '../../lib/redact.ts'
import { membersOf } from '../../members/records.ts'
import { managersAmong } from '../../members/roles.ts'
import { addTest, newestDeliveries } from '../../notices/outbox.ts'
import * as records from '../../notices/records.ts'
import { webhookFault } from '../../notices/webhook.ts'
import type { WorkspaceContext, WorkspaceHandler } from '../context.ts'
import { redirectWithNotice } from '../flash.ts'
import { alreadySent, incompleteForm, onlyOnce, ReopenForm } from '../form.ts'
import { isOutdated } from '../layout/conflict.ts'
import { changeMembers } from '../members/change.ts'
import { paths } from '../paths.ts'
import { htmlResponse } from '../responses.ts'
import { noticesPage, secretPage } from './notices-page.ts'

const MAX_RECIPIENTS = 20
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
  const { settings = records.NO_NOTICES, managers, deliveries } = read
  const offered = managers.filter(({ email }, i) => i < MAX_OFFERED || settings.recipients.includes(email))
  const filled =
    draft === undefined ? { choices: settings, errors: {} } : readForm(context, withoutKey(draft, settings.webhookUrl))
  const saved = choicesOf(settings)
  const isConflict = draft !== undefined && isOutdated(draft, saved)
  const channels = { hasMail: config.mail !== undefined, hasWebhook: settings.webhookUrl !== null }
  return htmlResponse(200, noticesPage({ frame, offered, deliveries, ...channels, ...filled, saved, isConflict }))
}

const choicesOf = ({ kinds, webhookUrl, recipients }: records.NoticeChoices): records.NoticeChoices => ({
  ...{ kinds, webhookUrl, recipients },
})

const managersIn = async (tx: Transaction, workspaceId: string) => managersAmong(await membersOf(tx, workspaceId))

function readForm({ config }: WorkspaceContext, form: URLSearchParams) {
  const kinds = records.noticeKinds.filter((kind) => form.getAll('kinds').includes(kind))
  const webhookUrl = form.get('webhook')?.trim() || null
  const recipients = [...new Set(form.getAll('recipients'))].sort()
  const errors = {
    webhook: webhookUrl === null ? undefined : webhookFault(webhookUrl, { allowPrivate: config.webhookPrivate }),
    recipients: recipients.length > MAX_RECIPIENTS ? `Choose at most ${MAX_RECIPIENTS} people.` : undefined,
  }
  return { choices: { kinds, webhookUrl, recipients }, errors }
}

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
    const saved = choicesOf((await records.findNotices(tx, workspaceId)) ?? records.NO_NOTICES)
    const managers = (await managersIn(tx, workspaceId)).map(({ email }) => email)
    const wanted = { ...choices, recipients: choices.recipients.filter((email) => managers.includes(email)) }
    if (isDeepStrictEqual(wanted, saved)) return
    if (isOutdated(form, saved)) throw new ReopenForm()
    await records.saveNotices(tx, workspaceId, wanted, manager)
  })
  return redirectWithNotice(context, paths.notices(slug), 'notices-saved')
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
  return htmlResponse(200, secretPage(context.frame, secret), [], { showsSecret: true })
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
