import { databaseLocked, StoreBusyError } from '../database/errors.ts'
import { acceptsHtml } from '../lib/accept.ts'
import type { HttpResponse, PrivateApp, PrivateRequest } from '../operation.ts'
import { ProblemError } from '../problems/problem.ts'
import {
  authorize,
  createContext,
  findSession,
  type RequestContext,
  type SettingsOptions,
  type WorkspaceContext,
} from './context.ts'
import { OutOfDateForm, readOwnForm } from './form.ts'
import { paths, slugIn } from './paths.ts'
import {
  compressed,
  errorResponse,
  PageError,
  type PageResponse,
  pageNotFound,
  redirect,
  withHeaders,
} from './responses.ts'
import { findRoute, pageAt, type Route } from './routes.ts'
import { draftOf, rememberPage } from './sign-in/return.ts'

/** How long the workspace used last is remembered. */
const WORKSPACE_SECONDS = 365 * 86_400

/** The pages under /settings, and the private JSON of their script under /api. */
export function createSettingsApp(options: SettingsOptions): PrivateApp['respond'] {
  const contextOf = createContext(options, pageAt)
  return async (request) =>
    request.path.startsWith('/api/')
      ? respondToScript(contextOf(request))
      : compressed(await respondWithPage(contextOf(request)), request.header('accept-encoding'))
}

/** Problems, as for any path that does not exist: without a session, nobody learns what is here. */
async function respondToScript(context: RequestContext): Promise<HttpResponse> {
  const { request } = context
  const route = findRoute(request.path)
  const handler = route?.signedIn?.[methodOf(request)]
  const session = handler && (await findSession(context))
  if (route === undefined || handler === undefined || session === undefined) throw notFound()
  try {
    const authorized = authorize(context, session, route.names)
    if (isClosed(authorized, route)) throw notFound()
    return await handler(authorized)
  } catch (error) {
    throw error instanceof PageError ? notFound() : error
  }
}

const notFound = () => new ProblemError('not_found', 'This path is not one of this service.')

async function respondWithPage(context: RequestContext): Promise<HttpResponse> {
  const { request } = context
  const route = findRoute(request.path)
  if (route === undefined && !acceptsHtml(request.header('accept'))) throw notFound()
  try {
    return route === undefined ? await respondToUnknown(context) : await handle(context, route)
  } catch (error) {
    if (error instanceof PageError) return errorResponse(error)
    // The HTTP face knows whether that is a failure, or only a client that left.
    if (error instanceof ProblemError || request.isGone) throw error
    if (error instanceof StoreBusyError) return error === databaseLocked ? LOCKED : OVERLOADED
    request.report(error)
    return errorResponse(
      new PageError(
        500,
        'Something went wrong',
        `Try again. If it keeps failing, tell the operator this id: ${request.requestId}.`,
      ),
    )
  }
}

async function handle(context: RequestContext, route: Route): Promise<HttpResponse> {
  const method = methodOf(context.request)
  const open = route.open?.[method]
  if (open !== undefined) return open(context)
  const handler = route.signedIn?.[method]
  // Whoever opens the address of a response to a form again is led to the form.
  if (handler === undefined && method === 'GET' && route.form !== undefined) return redirect(route.form(route.names))
  if (handler === undefined) throw methodNotAllowed(route)
  const session = await findSession(context)
  if (session === undefined) return redirectToSignIn(context, route)
  const authorized = authorize(context, session, route.names)
  if (isClosed(authorized, route)) return redirect(paths.workspace(authorized.workspace.slug))
  try {
    return withHeaders(await handler(authorized), pageCookies(authorized))
  } catch (error) {
    if (error instanceof OutOfDateForm) return errorResponse(reopenable(context, route, error), authorized.chrome)
    if (error instanceof PageError) return errorResponse(error, authorized.chrome)
    throw error
  }
}

/** A page for people, with the navigation that they have elsewhere: of the workspace in the path, or else of the one used last. */
async function respondToUnknown(context: RequestContext): Promise<HttpResponse> {
  const { request, cookies } = context
  const session = await findSession(context)
  const slugs = [slugIn(request.path), cookies.read(request.header('cookie'), 'workspace')]
  const memberships = session?.memberships ?? []
  const workspace = slugs.map((slug) => memberships.find((one) => one.slug === slug)).find(Boolean) ?? memberships[0]
  const authorized = session && workspace && authorize(context, session, { slug: workspace.slug })
  return errorResponse(pageNotFound(), authorized?.chrome)
}

/** Of an archived workspace only the page that says so, and offers to restore it, is open. */
const isClosed = ({ workspace }: WorkspaceContext, route: Route): boolean =>
  workspace.archivedAt !== null && route.isOpenWhenArchived !== true

/** Remembers the workspace for the next time, and forgets what was typed once its form has it again. */
function pageCookies(context: WorkspaceContext): string[] {
  const { request, cookies, workspace } = context
  const isUsedLast = cookies.read(request.header('cookie'), 'workspace') === workspace.slug
  return [
    ...(isUsedLast ? [] : cookies.set('workspace', workspace.slug, WORKSPACE_SECONDS)),
    ...(draftOf(context) === undefined ? [] : cookies.clear('return')),
  ]
}

/** Signing in leads back to the page that was asked for, or to the form that was sent, filled in as it was. */
async function redirectToSignIn(context: RequestContext, route: Route): Promise<HttpResponse> {
  const { request, cookies } = context
  const hadSession = cookies.read(request.header('cookie'), 'session') !== undefined
  const remembered = await rememberRequest(context, route)
  const notice = remembered?.keepsForm ? '?notice=kept' : hadSession ? '?notice=ended' : ''
  return redirect(`${paths.signIn}${notice}`, [
    ...(hadSession ? cookies.clear('session') : []),
    ...(remembered?.header ?? []),
  ])
}

async function rememberRequest(context: RequestContext, route: Route): Promise<ReturnType<typeof rememberPage>> {
  const { request } = context
  if (methodOf(request) === 'GET')
    return rememberPage(context, request.query.size === 0 ? request.path : `${request.path}?${request.query}`)
  try {
    return rememberPage(context, formPageOf(context, route), await readOwnForm(context))
  } catch (error) {
    // From a foreign page, or too long.
    if (error instanceof PageError) return undefined
    throw error
  }
}

const formPageOf = ({ request }: RequestContext, { form, names }: Route): string => form?.(names) ?? request.path

/** The error, with a link to the form as it was filled in. */
function reopenable(context: RequestContext, route: Route, error: OutOfDateForm): PageError {
  const page = formPageOf(context, route)
  const remembered = rememberPage(context, page, error.form)
  if (!remembered?.keepsForm) return error
  return new PageError(error.status, error.title, error.message, remembered.header, {
    href: page,
    text: 'Open the form again, with what you typed',
  })
}

const methodOf = ({ method }: PrivateRequest) => (method === 'HEAD' ? 'GET' : method)

const methodNotAllowed = (route: Route) =>
  new PageError(405, 'Method not allowed', 'Use the links and buttons on the pages.', [
    'Allow',
    Object.keys({ ...route.open, ...route.signedIn }).join(', '),
  ])

/** Rendered once: refusing a request must cost next to nothing. */
const busy = (title: string, text: string, retryAfterSeconds: number): PageResponse => ({
  ...errorResponse(new PageError(503, title, text, ['Retry-After', String(retryAfterSeconds)])),
  mayCompress: false,
})
const OVERLOADED = busy('Overloaded', 'There are too many requests at the moment. Try again in a few seconds.', 2)
const LOCKED = busy(
  'The database is busy',
  'Nothing was changed: another program has been writing to the database for five seconds. Go back and try again in a moment.',
  5,
)
