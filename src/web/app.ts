/**
 * The settings pages under /settings, and the private JSON of their script under /api. `connect/` holds the OAuth endpoints, and
 * `site/` the public pages: home, documentation and problems.
 *
 * ## From a request to a page
 *
 * `lazy.ts` loads this folder with the first request for a page. `respond` below then
 *   1. builds the request's context (`context.ts`): its store, cookies, limits and identity provider;
 *   2. finds the route (`routes.ts`): the handler of each path and method, and the role that it needs;
 *   3. finds the session by its cookie. Without one, the person signs in and comes back to the same page (`sign-in/return.ts`);
 *   4. checks that the session reaches the workspace in the path, and that the person's role there suffices;
 *   5. reads the form of a POST, after checking its origin and CSRF token (`form.ts`);
 *   6. calls the handler, which calls a domain module (`src/keys`, `src/members`, …) and renders a page or redirects.
 * A handler and its HTML share a file. `layout/` contains the parts that pages share. HTML is written with the `html` template
 * tag, which escapes every part that is not already HTML.
 *
 * ## Invariants
 *
 * - Every page works without JavaScript; `assets/settings.js` only adds convenience.
 * - GET changes nothing. A POST that changes something responds with 303, unless it shows a secret, which is shown only once.
 * - A change checks the role again in its own transaction (`changeKey`, `changeMembers`): it may have been revoked meanwhile.
 * - A form that creates something carries a ticket, the field `once` (`once.ts`). The ticket is stored in the transaction that
 *   creates, so a double click creates once, and the second response explains what the first one did.
 * - A form that edits carries the values it was opened with, so it never silently undoes another person's change.
 * - A page that shows a key or a sign-in link is neither cached nor compressed, and no URL or log contains a key.
 * - A notice of what was done appears once, after the change: a cookie names it (`flash.ts`), and the text is ours.
 * - A form with errors leads back to its page, which shows what was typed and checks it again (`reopening`).
 * - Missing pages and other people's pages get the same 404.
 * - Long reads take turns with the API's requests, a slice at a time (`long-reads.ts`).
 *
 * ## What can go wrong
 *
 * - A handler throws a `PageError`: its page is shown in the workspace's frame, with a link to continue.
 * - The key's state does not allow the change (`KeyChangeError`): the key's page explains what happened to it.
 * - The form belongs to an older session (`OutOfDateForm`): the person gets it back, filled in as before.
 * - The database is overloaded or locked (`StoreBusyError`): a page rendered beforehand, 503 with Retry-After.
 * - Anything else is logged, and the page shows the request id.
 */
import { isDeepStrictEqual } from 'node:util'
import { databaseLocked, StoreBusyError } from '../database/errors.ts'
import { KeyChangeError } from '../keys/change-error.ts'
import { acceptsHtml } from '../lib/http-headers.ts'
import type { HttpResponse, PrivateApp, PrivateRequest } from '../operation.ts'
import { ProblemError } from '../problems/problem.ts'
import { endpointAt, respondToProgram } from './connect/endpoints.ts'
import {
  authorize,
  type BrowserSession,
  createContext,
  findSession,
  type PersonHandler,
  type RequestContext,
  recentWorkspaces,
  requireRole,
  type SettingsOptions,
  type WorkspaceContext,
} from './context.ts'
import { flashOf, redirectWithNotice } from './flash.ts'
import { OutOfDateForm, readForm, readOwnForm } from './form.ts'
import { explainRefusal } from './keys/key/key.ts'
import { paths } from './paths.ts'
import {
  compressed,
  errorResponse,
  keepingOpener,
  PageError,
  type PageResponse,
  pageNotFound,
  redirect,
  withHeaders,
} from './responses.ts'
import { findRoute, pageAt, type Route } from './routes.ts'
import { draftOf, rememberPage, targetOf } from './sign-in/return.ts'
import { signInResponse } from './sign-in/sign-in.ts'

const WORKSPACE_SECONDS = 365 * 86_400

export function createSettingsApp(options: SettingsOptions): PrivateApp['respond'] {
  const contextOf = createContext(options, pageAt)
  return async (request) => {
    const context = contextOf(request)
    if (request.path.startsWith('/api/')) return respondToScript(context)
    const endpoint = endpointAt(request.path)
    if (endpoint !== undefined) return respondToProgram(context, endpoint)
    const route = findRoute(request.path)
    const page = await pageOrError(context, route)
    return compressed(route?.keepsOpener ? keepingOpener(page) : page, request.header('accept-encoding'))
  }
}

/** Without a session, all paths get the same 404 problem, so that they do not reveal which ones exist. */
async function respondToScript(context: RequestContext): Promise<HttpResponse> {
  const route = findRoute(context.request.path)
  const session = route && (await findSession(context, { isPoll: true }))
  if (route === undefined || session === undefined) throw notFound()
  try {
    const authorized = authorize(context, session, route.names)
    if (isClosed(authorized, route)) throw notFound()
    return await perform(authorized, route)
  } catch (error) {
    throw error instanceof PageError ? notFound() : error
  }
}

const notFound = () => new ProblemError('not_found', 'This service has no such path.')

async function pageOrError(context: RequestContext, route: Route | undefined): Promise<HttpResponse> {
  const { request } = context
  if (route === undefined && !acceptsHtml(request.header('accept'))) throw notFound()
  try {
    return route === undefined ? errorResponse(pageNotFound()) : await handle(context, route)
  } catch (error) {
    if (error instanceof PageError) return errorResponse(error)
    // The HTTP layer decides whether this is a failure, or only a client that disconnected.
    if (error instanceof ProblemError || request.isGone) throw error
    if (error instanceof StoreBusyError) return error === databaseLocked ? LOCKED : OVERLOADED
    request.report(error)
    const text = `Try again. If it keeps failing, give the operator this id: ${request.requestId}.`
    return errorResponse(new PageError(500, 'Something went wrong', text))
  }
}

async function handle(context: RequestContext, route: Route): Promise<HttpResponse> {
  const method = methodOf(context.request)
  const open = route.open?.[method]
  if (open !== undefined) return withHeaders(await open(context), spentCookies(context))
  const person = route.person?.[method]
  if (person === undefined && route[method] === undefined) {
    // Reloading a form's response shows the form again.
    if (method === 'GET' && route.form !== undefined) return redirect(route.form(route.names))
    throw methodNotAllowed(route)
  }
  const session = await findSession(context)
  if (session === undefined) return askToSignIn(context, route)
  return person === undefined ? handleMember(context, route, session) : handlePerson(context, route, session, person)
}

async function handlePerson(context: RequestContext, route: Route, session: BrowserSession, respond: PersonHandler) {
  try {
    const form = methodOf(context.request) === 'POST' ? await readForm(context, session.csrf) : new URLSearchParams()
    const response = await respond({ ...context, session, nowMs: session.nowMs }, form)
    return withHeaders(reopened(context, route, response, form), spentCookies(context))
  } catch (error) {
    throw reopenable(context, route, error)
  }
}

async function handleMember(context: RequestContext, route: Route, session: BrowserSession): Promise<HttpResponse> {
  const authorized = authorize(context, session, route.names)
  if (isClosed(authorized, route)) return redirect(paths.workspace(authorized.workspace.slug))
  try {
    return withHeaders(await perform(authorized, route), pageCookies(authorized))
  } catch (error) {
    const shown = reopenable(context, route, error)
    if (shown instanceof PageError) return errorResponse(shown, authorized.frame)
    throw shown
  }
}

async function perform(context: WorkspaceContext, route: Route): Promise<HttpResponse> {
  const method = methodOf(context.request)
  const action = route[method]
  if (action === undefined) throw methodNotAllowed(route)
  requireRole(context.workspace, action.role, route.onlyReads)
  const form = method === 'POST' ? await readForm(context, context.frame.csrf) : new URLSearchParams()
  try {
    return reopened(context, route, await action.respond(context, form), form)
  } catch (error) {
    if (error instanceof KeyChangeError) return explainRefusal(context, error)
    throw error
  }
}

/** In an archived workspace, only the page that offers to restore it and its audit log are open. */
const isClosed = ({ workspace }: WorkspaceContext, route: Route): boolean =>
  workspace.archivedAt !== null && !route.isOpenWhenArchived && !route.onlyReads

function pageCookies(context: WorkspaceContext): string[] {
  const { cookies, session, workspace } = context
  const used = recentWorkspaces(context)
  // Someone else may have used this browser, or they have left a workspace since.
  const own = session.memberships.map(({ slug }) => slug).filter((slug) => slug !== workspace.slug)
  const recent = [workspace.slug, ...used.filter((slug) => own.includes(slug))]
  return [
    ...(isDeepStrictEqual(recent, used) ? [] : cookies.set('workspace', recent.join('.'), WORKSPACE_SECONDS)),
    ...spentCookies(context),
  ]
}

/** Drafts and notices are shown once. */
const spentCookies = (context: RequestContext): string[] => [
  ...(draftOf(context) === undefined ? [] : context.cookies.clear('return')),
  ...(flashOf(context).done === '' ? [] : context.cookies.clear('flash')),
]

async function askToSignIn(context: RequestContext, route: Route): Promise<HttpResponse> {
  const { request, cookies } = context
  await route.person?.beforeSignIn(context)
  const hadSession = cookies.read(request.header('cookie'), 'session') !== undefined
  const remembered = await rememberRequest(context, route)
  const notice = remembered?.keepsForm ? 'kept' : hadSession ? 'ended' : null
  const headers = [...(hadSession ? cookies.clear('session') : []), ...(remembered?.header ?? [])]
  // A client's request stays in the address bar: the cookie holds only one, and each tab may have its own.
  if (route.person !== undefined && methodOf(request) === 'GET')
    return withHeaders(signInResponse(context, notice, targetOf(request)), headers)
  return notice === null
    ? redirect(paths.signIn, headers)
    : redirectWithNotice(context, paths.signIn, { done: notice }, headers)
}

async function rememberRequest(context: RequestContext, route: Route): Promise<ReturnType<typeof rememberPage>> {
  const { request } = context
  if (methodOf(request) === 'GET') return rememberPage(context, targetOf(request))
  try {
    return rememberPage(context, formPageOf(context, route), await readOwnForm(context))
  } catch (error) {
    // The form came from another site, or is too long.
    if (error instanceof PageError) return undefined
    throw error
  }
}

const formPageOf = ({ request }: RequestContext, { form, names }: Route): string => form?.(names) ?? targetOf(request)

/** A form that is too long for a cookie is shown in the response. */
function reopened(context: RequestContext, route: Route, response: PageResponse, form: URLSearchParams): HttpResponse {
  if (!response.reopensForm) return response
  const page = formPageOf(context, route)
  const remembered = rememberPage(context, page, form, true)
  return remembered?.keepsForm ? redirect(page, remembered.header) : response
}

/** An out-of-date form leads back to its page, filled in as it was sent. Other errors stay as they are. */
function reopenable(context: RequestContext, route: Route, error: unknown): unknown {
  if (!(error instanceof OutOfDateForm)) return error
  const page = formPageOf(context, route)
  const remembered = rememberPage(context, page, error.form)
  if (!remembered?.keepsForm) return error
  const back = { href: page, text: 'Open the form again, with what you typed' }
  return new PageError(error.status, error.title, error.message, remembered.header, back)
}

const methodOf = ({ method }: PrivateRequest) => (method === 'HEAD' ? 'GET' : method) as 'GET' | 'POST'

function methodNotAllowed(route: Route): PageError | ProblemError {
  if (route.person !== undefined)
    return new ProblemError('method_not_allowed', 'Only GET, HEAD and POST are allowed here.', undefined, [
      'Allow',
      'GET, HEAD, POST',
    ])
  const allowed = (['GET', 'POST'] as const).filter((method) => route[method] ?? route.open?.[method])
  return new PageError(405, 'Method not allowed', 'Use the links and buttons on the pages.', [
    'Allow',
    allowed.join(', '),
  ])
}

/** Rendered in advance: refusing a request must cost almost nothing. */
const busy = (title: string, text: string, retryAfterSeconds: number): PageResponse => ({
  ...errorResponse(new PageError(503, title, text, ['Retry-After', String(retryAfterSeconds)])),
  mayCompress: false,
})
const OVERLOADED = busy('Overloaded', 'There are too many requests right now. Try again in a few seconds.', 2)
const LOCKED = busy(
  'The database is busy',
  'Nothing was changed: another program has been writing to the database for five seconds. Go back and try again in a moment.',
  5,
)
