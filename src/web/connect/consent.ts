/**
 * Consent: a person lets a program read one workspace (RFC 6749, 4.1).
 *
 * - The request is the query of the page's URL and of the form's action, and is checked again each time. Until the client and its
 *   redirect URI are found to belong together, errors are pages.
 * - Anyone can register a client, so an error could redirect any visitor to any site (RFC 9700, 4.11.2). Nothing is sent anywhere
 *   before the person has signed in. Afterwards, errors are sent only to programs on their computer and to hosts that the operator
 *   has listed; for others, a page has a link that carries the error. Nor is a metadata document fetched for a stranger.
 * - The form belongs to the session by its CSRF token. A request gets one code, by the form's ticket.
 * - The name is a claim. The redirect URI's host is certain: it gets the code.
 */

import { createHmac } from 'node:crypto'
import type { HttpResponse } from '../../api/http-message.ts'
import {
  type AuthorizationRequest,
  errorUri,
  findTarget,
  type ResponseTarget,
  readRequest,
  responseUri,
} from '../../connections/authorization.ts'
import { isDocumentId } from '../../connections/client-document.ts'
import { OAuthError } from '../../connections/oauth-error.ts'
import { destinationOf } from '../../connections/redirect-uri.ts'
import { issueCode } from '../../connections/tokens.ts'
import { checkMayAddKey, KeyChangeError, type NewKey } from '../../keys/life-cycle.ts'
import { type Membership, membersOf } from '../../members/records.ts'
import { isManager, managersAmong } from '../../members/roles.ts'
import { changeAs, type PersonContext, type PersonHandler, type RequestContext } from '../context.ts'
import { noticeNamed } from '../flash.ts'
import { alreadySent, incompleteForm, onlyOnce, ReopenForm } from '../form.ts'
import { html, inQuotes } from '../html.ts'
import * as keyForm from '../keys/key-form.ts'
import { permissionWords } from '../keys/permissions.ts'
import { readRowValues } from '../keys/row-values.ts'
import { readRowCounts } from '../keys/summary.ts'
import { paths } from '../paths.ts'
import { targetOf } from '../remember-page.ts'
import { allowingFormsTo, formSourceOf, htmlResponse, PageError, redirect } from '../responses.ts'
import { type ConsentModel, cannotConnectPage, consentPage } from './consent-page.ts'

export const showConsent: PersonHandler = (context) =>
  withRequest(context, async (asked) => {
    const values = { ...keyForm.newKeyDefaults, permissions: asked.permissions }
    const { draft } = context
    const filled = draft === undefined ? { values, workspace: '', errors: {} } : checkForm(context, draft, asked).filled
    return formResponse(context, asked, filled)
  })

function checkForm(context: PersonContext, form: URLSearchParams, asked: AuthorizationRequest) {
  const workspace = managedBy(context).find(({ slug }) => slug === form.get('workspace'))
  const typed = { ...keyForm.valuesIn(form), label: asked.client.name }
  const { values, errors, newKey } = keyForm.checkNewKey(typed, timeIn(context, workspace), readable(context, asked))
  const missing = workspace === undefined && { workspace: 'Choose the workspace that it may read.' }
  return { filled: { values, workspace: workspace?.slug ?? '', errors: { ...missing, ...errors } }, workspace, newKey }
}

const readable = ({ resources }: PersonContext, { permissions }: AuthorizationRequest) =>
  resources.filter(({ permission }) => permissions.includes(permission))

export const submitConsent: PersonHandler = (context, form) =>
  withRequest(context, async (asked) => {
    const decision = form.get('decision')
    if (decision === 'refuse') throw new OAuthError('access_denied', 'The person refused.')
    if (decision !== 'connect') throw incompleteForm()
    const { workspace, newKey } = checkForm(context, form, asked)
    if (workspace === undefined || newKey === undefined) throw new ReopenForm()
    return sendCode(context, form, asked, workspace, newKey)
  })

/**
 * A request always gets the same ticket within a session. Otherwise the page would be a new form each time a person goes back to
 * it, and could send a second code. Every new attempt of a client has its own challenge, so it gets another ticket.
 */
const ticketFor = ({ session, request }: PersonContext): string =>
  createHmac('sha256', session.csrf).update(targetOf(request)).digest('base64url')

/** Checks what is cheap: it is better to learn about a broken request before signing in. */
export async function checkBeforeSignIn(context: RequestContext): Promise<void> {
  if (!isDocumentId(context.request.query.get('client_id') ?? '')) await checkedTarget(context)
}

async function withRequest(context: PersonContext, respond: (asked: AuthorizationRequest) => Promise<HttpResponse>) {
  const { request, resources, config } = context
  const { publicUrl } = config
  const target = await checkedTarget(context)
  try {
    return await respond(readRequest(request.query, target, { publicUrl, resources }))
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    context.observeConnection('consent', error.code)
    const uri = errorUri(target, publicUrl, error)
    if (isRefusal(error) || isKnown(context, target)) return redirect(uri)
    const { host } = destinationOf(target.redirectUri)
    const text = html`${error.message} Nothing was shared with the program.`
    throw new PageError(error.status, CANNOT_CONNECT, text, [], { href: uri, text: `Return to ${host}` })
  }
}

/** The person has chosen to return to the program. */
const isRefusal = ({ code }: OAuthError): boolean => code === 'access_denied'

/** With a list, `checkDestination` has refused all others. */
const isKnown = ({ config }: RequestContext, { redirectUri }: ResponseTarget): boolean =>
  isLimited(config) || destinationOf(redirectUri).kind === 'loopback'

const isLimited = ({ connect }: RequestContext['config']): boolean =>
  connect !== undefined && connect.clients.length > 0

const CANNOT_CONNECT = 'This program cannot be connected'

async function checkedTarget({ request, config, clients, observeConnection }: RequestContext): Promise<ResponseTarget> {
  const allowed = config.connect?.clients ?? []
  try {
    return await findTarget(request.query, { clients, allowed, address: request.caller.address })
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    observeConnection('consent', error.code)
    const next = 'Nothing was shared with it. Go back to the program that sent you here, and start connecting again.'
    throw new PageError(error.status, CANNOT_CONNECT, `${error.message} ${next}`, error.headers)
  }
}

const managedBy = ({ session }: PersonContext): Membership[] =>
  session.memberships.filter((membership) => membership.archivedAt === null && isManager(membership))

const timeIn = ({ session }: PersonContext, workspace: Membership | undefined) => ({
  nowMs: session.nowMs,
  timezone: workspace?.timezone ?? 'UTC',
})

type FormState = Pick<ConsentModel, 'values' | 'workspace' | 'errors'>

async function formResponse(context: PersonContext, asked: AuthorizationRequest, filled: FormState) {
  const { session, config, request } = context
  const { client, redirectUri } = asked
  const workspaces = managedBy(context)
  const lone = workspaces.length === 1 ? workspaces[0] : undefined
  const shared = {
    program: {
      name: client.name,
      documentHost: client.documentHost,
      ...destinationOf(redirectUri),
      isListed: isLimited(config),
    },
    email: session.email,
    csrf: session.csrf,
    action: targetOf(request),
  }
  const page =
    workspaces.length === 0
      ? cannotConnectPage({ ...shared, workspaces: await peopleToAskIn(context) })
      : consentPage({
          ...shared,
          frame: timeIn(context, workspaces.find(({ slug }) => slug === filled.workspace) ?? workspaces[0]),
          workspaces,
          permissions: permissionWords(readable(context, asked)),
          rowValues:
            lone === undefined
              ? []
              : await readRowValues(
                  { ...context, resources: readable(context, asked) },
                  lone.workspaceId,
                  session.nowMs,
                ),
          defaultQuota: config.quota,
          rowCounts: lone === undefined ? {} : await readRowCounts(context, lone.workspaceId, session.nowMs),
          once: ticketFor(context),
          hasDraft: context.isSignedInAgain,
          ...filled,
        })
  return allowingFormsTo(htmlResponse(workspaces.length === 0 ? 403 : 200, page), formSourceOf(redirectUri))
}

const MAX_WORKSPACES_TO_ASK_IN = 5

const peopleToAskIn = ({ store, session }: PersonContext) =>
  store.read(async (tx) => {
    const open = session.memberships.filter(({ archivedAt }) => archivedAt === null).slice(0, MAX_WORKSPACES_TO_ASK_IN)
    const asked = []
    for (const { name, workspaceId } of open)
      asked.push({ name, managers: managersAmong(await membersOf(tx, workspaceId)) })
    return asked
  })

/** Sending the form again cannot send the code again: only its hash is stored. */
async function sendCode(
  context: PersonContext,
  form: URLSearchParams,
  { client, redirectUri, codeChallenge, ...asked }: AuthorizationRequest,
  workspace: Membership,
  key: NewKey,
): Promise<HttpResponse> {
  const { slug } = workspace
  const { email, linkBy } = context.session
  const { host } = destinationOf(redirectUri)
  const grant = { client: { id: client.id, host }, redirectUri, codeChallenge, workspaceSlug: slug, email, linkBy, key }
  const code = await changeAs({ ...context, workspace }, 'manager', async (tx) => {
    const remember = await onlyOnce(context, tx, form, () =>
      alreadySent(
        html`The first time, ${inQuotes(client.name)} was given a code, which is sent only once and expires after a minute. Continue in the program. If it is not connected there, start connecting again from it.`,
        { href: paths.keys(slug), text: 'See what is connected' },
      ),
    )
    await remember()
    await checkMayAddKey(tx, workspace.workspaceId)
    return issueCode(tx, grant)
  }).catch((error) => {
    if (!(error instanceof KeyChangeError)) throw error
    const next = { href: paths.keys(slug), text: 'See the keys' }
    const text = noticeNamed('key-full')?.text ?? ''
    throw new PageError(409, 'This workspace cannot have more keys', text, [], next)
  })
  context.observeConnection('consent', 'ok')
  return redirect(responseUri({ client, redirectUri, ...asked }, context.config.publicUrl, { code }))
}
