/**
 * The settings pages under /settings, and the private JSON of their script under /api. `connect/` holds the OAuth endpoints, and
 * `site/` the public pages: home, documentation and problems.
 *
 * ## From a request to a page
 *
 * `lazy.ts` loads this folder with the first request for a page. `respond` below then
 *   1. builds the request's context (`context.ts`): its store, cookies, limits and identity provider;
 *   2. finds the route (`routes.ts`): the handler of each path and method, and the role that it needs;
 *   3. finds the session by its cookie. Without one, the person signs in and comes back to the same page (`remember-page.ts`);
 *   4. checks that the session reaches the workspace in the path, and that the person's role there suffices;
 *   5. reads the form of a POST, after checking its origin and CSRF token (`form.ts`);
 *   6. calls the handler, which calls a domain module (`src/keys`, `src/members`, …) and renders a page or redirects.
 * A handler and its HTML share a file, except for the consent page, which is the longest.
 * `layout/` contains the parts that pages share. HTML is written with the `html` template tag, which escapes every part that is
 * not already HTML.
 *
 * ## Invariants
 *
 * - Every page works without JavaScript; `assets/settings.js` only adds convenience.
 * - GET changes nothing. A POST that changes something responds with 303, unless it shows a secret, which is shown only once.
 * - A change checks the role again in its own transaction (`changeAs`, `changeMembers`): it may have been revoked meanwhile.
 * - A form that creates something carries a ticket, the field `once` (`form.ts`). The ticket is stored in the transaction that
 *   creates, so a double click creates once, and the second response reports it (`alreadySent`).
 * - A form that edits carries the version it was opened with, so it never silently undoes another person's change (`layout/conflict.ts`).
 * - Pages are neither cached nor compressed, and no URL or log contains a key.
 * - A notice of what was done appears once, after the change: a cookie names it, and what it is about (`flash.ts`).
 * - A form with errors leads back to its page (`ReopenForm`), which shows what was typed and checks it again.
 * - Missing pages and other people's pages get the same 404.
 * - Pages take turns, one per turn of the event loop, and long reads a slice at a time (`long-reads.ts`): the API's requests come
 *   between them. A person, and a workspace, have only so many in progress (`pages-in-progress.ts`), and a person sends only so many
 *   forms (`request-limits.ts`).
 *
 * ## What can go wrong
 *
 * - A handler throws a `PageError`: its page is shown in the workspace's frame, with a link to continue.
 * - The key's state does not allow the change (`KeyChangeError`): the key's page explains it, and shows what happened.
 * - The form belongs to an older session (`outOfDate`): the person gets it back, filled in as before.
 * - The database is overloaded or locked (`StoreBusyError`): a page rendered beforehand, 503 with Retry-After.
 * - Anything else is logged, and the page shows the request id.
 */

import { isDeepStrictEqual } from 'node:util'
import type { HttpResponse, PrivateRequest } from '../api/http-message.ts'
import type { Page } from '../api/operation.ts'
import { databaseLocked, StoreBusyError } from '../database/errors.ts'
import { isKeyId, KeyChangeError } from '../keys/life-cycle.ts'
import { acceptsHtml } from '../lib/http-headers.ts'
import { ProblemError } from '../problems/problem.ts'
import { endpointAt, respondToProgram } from './connect/endpoints.ts'
import {
  createContextFactory,
  findSession,
  type PersonContext,
  type RequestContext,
  recentWorkspaces,
  requireRole,
  type SettingsOptions,
  type WorkspaceContext,
  workspaceContext,
} from './context.ts'
import { flashOf, noticeNamed, redirectWithNotice } from './flash.ts'
import { outOfDate, ReopenForm, readForm, readOwnForm } from './form.ts'
import { nextPageTurn } from './long-reads.ts'
import { tooManyPages } from './pages-in-progress.ts'
import { paths, slugIn } from './paths.ts'
import { NOT_REMEMBERED, rememberPage, targetOf } from './remember-page.ts'
import { errorPageResponse, keepingOpener, PageError, pageNotFound, redirect, withHeaders } from './responses.ts'
import { type Action, findRoute, type PageRoute, pageAt } from './routes.ts'
import { signInResponse } from './sign-in/sign-in.ts'

const WORKSPACE_SECONDS = 365 * 86_400

export function createSettingsApp(options: SettingsOptions): Page['respond'] {
  const contextOf = createContextFactory(options, pageAt)
  return async (request) => {
    const context = contextOf(request)
    if (request.path.startsWith('/api/')) return respondToScript(context)
    const endpoint = endpointAt(request.path)
    if (endpoint !== undefined) return respondToProgram(context, endpoint)
    const route = findRoute(request.path)
    const page = await pageOrError(context, route)
    return route?.keepsOpener ? keepingOpener(page) : page
  }
}

/** Without a session, all paths get the same 404 problem, so that they do not reveal which ones exist. */
async function respondToScript(context: RequestContext): Promise<HttpResponse> {
  const route = findRoute(context.request.path)
  const action = route?.[methodOf(context.request)]
  if (route === undefined || action === undefined) throw notFound()
  return inSession(context, async () => {
    const session = await findSession(context, { isPoll: true })
    if (session === undefined) throw notFound()
    try {
      const inWorkspace = workspaceContext(context, session, route.names)
      if (isClosed(inWorkspace, route)) throw notFound()
      return await perform(inWorkspace, route, action)
    } catch (error) {
      throw error instanceof PageError ? notFound() : error
    }
  })
}

/** Refuses before the session is looked up, which costs more than the rest of a refusal. */
function inSession<T>(context: RequestContext, work: () => Promise<T>): Promise<T> {
  const { cookies, request, pages } = context
  const secret = cookies.read(request.header('cookie'), 'session')
  return secret === undefined ? work() : pages.run(`session ${secret}`, undefined, work)
}

const notFound = () => new ProblemError('not_found', 'This service has no such path.')

async function pageOrError(context: RequestContext, route: PageRoute | undefined): Promise<HttpResponse> {
  const { request } = context
  if (route === undefined && !acceptsHtml(request.header('accept'))) throw notFound()
  try {
    return await inSession(context, () => (route === undefined ? unknownPage(context) : handle(context, route)))
  } catch (error) {
    if (error instanceof PageError) return errorPageResponse(error)
    // The HTTP layer decides whether this is a failure, or only a client that disconnected.
    if (error instanceof ProblemError || request.isGone) throw error
    if (error === tooManyPages) return TOO_MANY_PAGES
    if (error instanceof StoreBusyError) return error === databaseLocked ? LOCKED : OVERLOADED
    request.logFailure(error)
    const text = `Try again. If it keeps failing, give the operator this id: ${request.requestId}.`
    return errorPageResponse(new PageError(500, 'Something went wrong', text))
  }
}

/** In the frame of the workspace that the person was in. */
async function unknownPage(context: RequestContext): Promise<HttpResponse> {
  const session = await findSession(context, { isPoll: true })
  const own = session?.memberships.map(({ slug }) => slug) ?? []
  const slug = [slugIn(context.request.path) ?? '', ...recentWorkspaces(context), ...own].find((each) =>
    own.includes(each),
  )
  const isKnown = session !== undefined && slug !== undefined
  return errorPageResponse(pageNotFound(), isKnown ? workspaceContext(context, session, { slug }).frame : null)
}

async function handle(context: RequestContext, route: PageRoute): Promise<HttpResponse> {
  const method = methodOf(context.request)
  const action = route[method]
  if (action === undefined) {
    // Reloading a form's response shows the form again.
    if (method === 'GET' && route.form !== undefined) return redirect(route.form(route.names))
    throw methodNotAllowed(route)
  }
  if (action.role === 'anyone') return withHeaders(await action.respond(context), spentCookies(context))
  const session = await findSession(context)
  if (session === undefined) return askToSignIn(context, route)
  if (action.role === 'person')
    return withHeaders(await perform({ ...context, session }, route, action), spentCookies(context))
  const inWorkspace = workspaceContext(context, session, route.names)
  if (isClosed(inWorkspace, route))
    return redirectWithNotice(context, paths.workspace(inWorkspace.workspace.slug), 'workspace-archived')
  try {
    return withHeaders(await perform(inWorkspace, route, action), pageCookies(inWorkspace))
  } catch (error) {
    if (error instanceof PageError) return errorPageResponse(error, inWorkspace.frame)
    throw error
  }
}

type SignedInContext = PersonContext | WorkspaceContext

/** Throws unless the person's role suffices. Returns the handler with the context that its role needs. */
function authorizedHandler(context: SignedInContext, { isOpenWhenArchived }: PageRoute, action: Action) {
  if (action.role === 'anyone' || action.role === 'person')
    return (form: URLSearchParams) => action.respond(context, form)
  // Workspace roles exist only on workspace paths.
  if (!('workspace' in context) || (context.keyId !== undefined && !isKeyId(context.keyId))) throw pageNotFound()
  requireRole(context.workspace, action.role, isOpenWhenArchived)
  return (form: URLSearchParams) => action.respond(context, form)
}

function perform(context: SignedInContext, route: PageRoute, action: Action): Promise<HttpResponse> {
  const respond = authorizedHandler(context, route, action)
  const workspaceId = 'workspace' in context ? context.workspace.workspaceId : undefined
  return context.pages.run(context.session.email, workspaceId, () => performInTurn(context, route, respond))
}

async function performInTurn(
  context: SignedInContext,
  route: PageRoute,
  respond: (form: URLSearchParams) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const form = methodOf(context.request) === 'POST' ? await readLimitedForm(context, route) : new URLSearchParams()
  await nextPageTurn()
  try {
    return await respond(form)
  } catch (error) {
    if (error instanceof ReopenForm) return reopen(context, route, form)
    if (!(error instanceof KeyChangeError && 'workspace' in context)) throw error
    const { reason } = error
    const isNamed = reason === 'ended' || reason === 'rotated' || reason === 'connected' || reason === 'full'
    const name = isNamed ? reason : 'changed'
    const { workspace, keyId } = context
    const page = keyId === undefined ? paths.keys(workspace.slug) : paths.key(workspace.slug, keyId)
    return redirectWithNotice(context, page, `key-${name}`)
  }
}

/** Counted only once its token is checked: another site could use up its visitors' changes. */
async function readLimitedForm(context: SignedInContext, route: PageRoute): Promise<URLSearchParams> {
  const { session, requestLimits } = context
  const form = await readForm(context, session.csrf, (sent) => leadBack(context, route, sent))
  requestLimits.countOf('form of a person', session.email)
  return form
}

/** In an archived workspace, only the page that offers to restore it and its audit log are open. */
const isClosed = ({ workspace }: WorkspaceContext, route: PageRoute): boolean =>
  workspace.archivedAt !== null && !route.isOpenWhenArchived

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
  ...(context.draft === undefined ? [] : context.cookies.clear('return')),
  ...(flashOf(context) === null ? [] : context.cookies.clear('flash')),
]

async function askToSignIn(context: RequestContext, route: PageRoute): Promise<HttpResponse> {
  const { request, cookies } = context
  await route.beforeSignIn?.(context)
  const hadSession = cookies.read(request.header('cookie'), 'session') !== undefined
  const remembered = await rememberRequest(context, route)
  const isForClient = route.GET?.role === 'person'
  const ended = remembered.keepsForm ? 'form-kept' : hadSession ? 'session-over' : null
  const name = isForClient && remembered.isTooLong ? 'connect-again' : ended
  const headers = [...(hadSession ? cookies.clear('session') : []), ...remembered.headers]
  // A client's request stays in the address bar: the cookie holds only one, and each tab may have its own.
  if (isForClient && methodOf(request) === 'GET')
    return withHeaders(signInResponse(context, name && noticeNamed(name), targetOf(request)), headers)
  return name === null ? redirect(paths.signIn, headers) : redirectWithNotice(context, paths.signIn, name, { headers })
}

async function rememberRequest(context: RequestContext, route: PageRoute) {
  const { request } = context
  if (methodOf(request) === 'GET') return rememberPage(context, targetOf(request))
  try {
    return rememberPage(context, formPageOf(context, route), await readOwnForm(context))
  } catch (error) {
    // The form came from another site, or is too long.
    if (error instanceof PageError) return NOT_REMEMBERED
    throw error
  }
}

const formPageOf = ({ request }: RequestContext, { form, names }: PageRoute): string =>
  form?.(names) ?? targetOf(request)

/** A form that is too long for a cookie is shown in the response. */
async function reopen(context: SignedInContext, route: PageRoute, form: URLSearchParams): Promise<HttpResponse> {
  const page = formPageOf(context, route)
  const remembered = rememberPage(context, page, form, true)
  if (remembered.keepsForm) return redirect(page, remembered.headers)
  const formRoute = route.form === undefined ? route : findRoute(page)
  if (formRoute?.GET === undefined) throw methodNotAllowed(route)
  const show = authorizedHandler({ ...context, draft: form }, formRoute, formRoute.GET)
  return { ...(await show(form)), status: 422 }
}

/** Redirects to the page of an out-of-date form, filled in as it was sent. */
function leadBack(context: RequestContext, route: PageRoute, form: URLSearchParams): PageError {
  const page = formPageOf(context, route)
  const remembered = rememberPage(context, page, form)
  if (!remembered.keepsForm) return outOfDate()
  return outOfDate(remembered.headers, { href: page, text: 'Open the form again, with what you typed' })
}

const methodOf = ({ method }: PrivateRequest) => (method === 'HEAD' ? 'GET' : method) as 'GET' | 'POST'

function methodNotAllowed(route: PageRoute): PageError | ProblemError {
  const readable = route.GET ?? route.form
  const allowed = [...(readable ? ['GET', 'HEAD'] : []), ...(route.POST ? ['POST'] : [])]
  const headers = ['Allow', allowed.join(', ')]
  if (route.GET?.role === 'person')
    return new ProblemError('method_not_allowed', 'Only GET, HEAD and POST are allowed here.', undefined, headers)
  return new PageError(405, 'Method not allowed', 'Use the links and buttons on the pages.', headers)
}

/** Rendered in advance: refusing a request must cost almost nothing. */
const busy = (title: string, text: string, retryAfterSeconds: number): HttpResponse =>
  errorPageResponse(new PageError(503, title, text, ['Retry-After', String(retryAfterSeconds)]))
const OVERLOADED = busy('Overloaded', 'There are too many requests right now. Try again in a few seconds.', 2)
const TOO_MANY_PAGES = busy(
  'Too many pages at once',
  'Nothing was changed: other pages of yours, or of this workspace, are still in progress. Go back and try again in a few seconds.',
  2,
)
const LOCKED = busy(
  'The database is busy',
  'Nothing was changed: another command has been writing to the database for five seconds. Go back and try again in a moment.',
  5,
)
