import type { Transaction } from '../../database/store.ts'
import { redactTokens } from '../../lib/redact.ts'
import { createSecret } from '../../lib/secret.ts'
import { membersOf } from '../../members/records.ts'
import { managersAmong } from '../../members/roles.ts'
import { addTest, newestDeliveries } from '../../notices/outbox.ts'
import * as records from '../../notices/records.ts'
import { webhookFault } from '../../notices/webhook.ts'
import type { HttpResponse } from '../../operation.ts'
import { instantOf, type WorkspaceContext, type WorkspaceHandler } from '../context.ts'
import { flashOf, redirectWithNotice } from '../flash.ts'
import type { Notice } from '../layout/page.ts'
import { changeMembers } from '../members/change.ts'
import { findTicketOf, incompleteForm, rememberTicket } from '../once.ts'
import { paths } from '../paths.ts'
import { htmlResponse, PageError, reopening } from '../responses.ts'
import { draftOf } from '../sign-in/return.ts'
import { type NoticesModel, noticesPage, secretPage } from './page.ts'

const MAX_RECIPIENTS = 20
/** Owners come first. */
const MAX_OFFERED = 100
const SHOWN_DELIVERIES = 20

const done = new Map<string, Notice>([
  ['saved', { tone: 'good', text: 'Saved.' }],
  ['test', { tone: 'good', text: 'A test is on its way. Reload this page in a few seconds to see if it arrived.' }],
  ['too-many', { tone: 'bad', text: 'Nothing was sent: there were ten tests in the last hour.' }],
])

export const showNotices: WorkspaceHandler = async (context) => {
  const notice = done.get(flashOf(context).done) ?? null
  const draft = draftOf(context)
  return response(context, 200, { notice, ...(draft && readForm(context, draft)) })
}

type Filled = Partial<Pick<NoticesModel, 'choices' | 'errors' | 'notice' | 'version'>>

async function response(context: WorkspaceContext, status: number, filled: Filled): Promise<HttpResponse> {
  const { frame, workspace, store, config } = context
  const read = await store.read(async (tx) => ({
    settings: await records.findNotices(tx, workspace.workspaceId),
    offered: (await managersIn(tx, workspace.workspaceId)).slice(0, MAX_OFFERED),
    deliveries: await newestDeliveries(tx, workspace.workspaceId, SHOWN_DELIVERIES),
  }))
  const { settings = records.NO_NOTICES } = read
  const model: NoticesModel = {
    ...{ frame, offered: read.offered, deliveries: read.deliveries, errors: {}, notice: null },
    ...{ hasMail: config.mail !== undefined, hasWebhook: settings.webhookUrl !== null, once: createSecret() },
    ...{ choices: settings, version: records.versionOf(settings), ...filled },
  }
  return htmlResponse(status, noticesPage(model))
}

const managersIn = async (tx: Transaction, workspaceId: string) => managersAmong(await membersOf(tx, workspaceId))

function readForm({ config }: WorkspaceContext, form: URLSearchParams) {
  const kinds = records.noticeKinds.filter((kind) => form.getAll('kinds').includes(kind))
  const webhookUrl = form.get('webhook')?.trim() || null
  const recipients = [...new Set(form.getAll('recipients'))].sort()
  const errors = {
    webhook: webhookUrl === null ? undefined : webhookFault(webhookUrl, { allowPrivate: config.webhookPrivate }),
    recipients: recipients.length > MAX_RECIPIENTS ? `Choose at most ${MAX_RECIPIENTS} people.` : undefined,
  }
  return { choices: { kinds, webhookUrl, recipients }, version: form.get('version') ?? '', errors }
}

export const saveNotices: WorkspaceHandler = async (context, form) => {
  const { workspaceId, slug } = context.workspace
  const { choices, version, errors } = readForm(context, form)
  if (errors.webhook !== undefined || errors.recipients !== undefined) {
    const shown = { ...choices, webhookUrl: choices.webhookUrl && redactTokens(choices.webhookUrl) }
    return reopening(await response(context, 422, { choices: shown, version, errors }))
  }
  await changeMembers(context, 'owner', async (tx, manager) => {
    await records.lockNotices(tx, workspaceId)
    const before = (await records.findNotices(tx, workspaceId)) ?? records.NO_NOTICES
    const managers = (await managersIn(tx, workspaceId)).map(({ email }) => email)
    const wanted = { ...choices, recipients: choices.recipients.filter((email) => managers.includes(email)) }
    if (records.versionOf(wanted) === records.versionOf(before)) return
    if (records.versionOf(before) !== version) throw changedMeanwhile(slug)
    await records.saveNotices(tx, workspaceId, wanted, manager, instantOf(context, tx))
  })
  return redirectWithNotice(context, paths.notices(slug), { done: 'saved' })
}

const changedMeanwhile = (slug: string) =>
  new PageError(409, 'The notices were changed meanwhile', 'Another owner, or an unsubscribe link, changed them.', [], {
    href: paths.notices(slug),
    text: 'See what they are now',
  })

/** Only this response contains the secret. A second click shows that it was created, not another one. */
export const replaceSecret: WorkspaceHandler = async (context, form) => {
  const { workspaceId } = context.workspace
  const secret = await changeMembers(context, 'owner', async (tx, manager) => {
    if ((await findTicketOf(context, tx, form)) !== undefined) return null
    if (!(await records.findNotices(tx, workspaceId))?.webhookUrl) throw incompleteForm('Save a webhook first.')
    await rememberTicket(context, tx, form, { workspaceId })
    return records.replaceSecret(tx, workspaceId, manager, instantOf(context, tx))
  })
  return htmlResponse(secret === null ? 409 : 200, secretPage(context.frame, secret), [], { showsSecret: true })
}

export const sendTest: WorkspaceHandler = async (context) => {
  const { workspace, session, config } = context
  const { workspaceId, slug } = workspace
  const isAdded = await changeMembers(context, 'owner', async (tx) => {
    const webhook = (await records.findNotices(tx, workspaceId))?.webhookUrl ? [null] : []
    const mail = config.mail === undefined ? [] : [session.email]
    return addTest(tx, workspaceId, session.email, [...webhook, ...mail])
  })
  return redirectWithNotice(context, paths.notices(slug), { done: isAdded ? 'test' : 'too-many' })
}
