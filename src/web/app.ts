import { StoreBusyError } from '../database/errors.ts'
import type { Answer, PrivateApp, PrivateRequest } from '../operation.ts'
import { ProblemError } from '../problems/problem.ts'
import { errorAnswer, PageError, redirect } from './answers.ts'
import {
  authorize,
  createContext,
  findSession,
  type RequestContext,
  type SettingsOptions,
  type WorkspaceContext,
} from './context.ts'
import { paths } from './paths.ts'
import { findRoute, type Route } from './routes.ts'

/** The pages under /settings, and the private JSON of their script under /api. */
export function createSettingsApp(options: SettingsOptions): PrivateApp['answer'] {
  const contextOf = createContext(options)
  return (request) =>
    request.path.startsWith('/api/') ? answerScript(contextOf(request)) : answerPage(contextOf(request))
}

/** Problems, as for any path that does not exist: without a session, nobody learns what is here. */
async function answerScript(context: RequestContext): Promise<Answer> {
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

async function answerPage(context: RequestContext): Promise<Answer> {
  const { request } = context
  const route = findRoute(request.path)
  if (route === undefined) throw notFound()
  try {
    return await handle(context, route)
  } catch (error) {
    if (error instanceof PageError) return errorAnswer(error)
    // The HTTP face knows whether that is a failure, or only a client that left.
    if (error instanceof ProblemError || request.isGone) throw error
    if (error instanceof StoreBusyError) return OVERLOADED
    request.report(error)
    return errorAnswer(
      new PageError(
        500,
        'Something went wrong',
        `Try again. If it keeps failing, tell the operator this id: ${request.requestId}.`,
      ),
    )
  }
}

async function handle(context: RequestContext, route: Route): Promise<Answer> {
  const method = methodOf(context.request)
  const open = route.open?.[method]
  if (open !== undefined) return open(context)
  const handler = route.signedIn?.[method]
  if (handler === undefined) throw methodNotAllowed(route)
  const session = await findSession(context)
  if (session === undefined) return redirectToSignIn(context)
  const authorized = authorize(context, session, route.names)
  if (isClosed(authorized, route)) return redirect(paths.workspace(authorized.workspace.slug))
  try {
    return await handler(authorized)
  } catch (error) {
    if (error instanceof PageError) return errorAnswer(error, authorized.chrome)
    throw error
  }
}

/** Of an archived workspace only the page that says so, and offers to restore it, is open. */
const isClosed = ({ workspace }: WorkspaceContext, route: Route): boolean =>
  workspace.archivedAt !== null && route.isOpenWhenArchived !== true

/** With a notice, if a session has ended. */
function redirectToSignIn({ request, cookies }: RequestContext): Answer {
  const hadSession = cookies.read(request.header('cookie'), 'session') !== undefined
  return hadSession ? redirect(`${paths.signIn}?notice=ended`, cookies.clear('session')) : redirect(paths.signIn)
}

const methodOf = ({ method }: PrivateRequest) => (method === 'HEAD' ? 'GET' : method)

const methodNotAllowed = (route: Route) =>
  new PageError(405, 'Method not allowed', 'Use the links and buttons on the pages.', [
    'Allow',
    Object.keys({ ...route.open, ...route.signedIn }).join(', '),
  ])

/** Rendered once: refusing a request must cost next to nothing. */
const OVERLOADED = errorAnswer(
  new PageError(503, 'Overloaded', 'There are too many requests at the moment. Try again in a few seconds.', [
    'Retry-After',
    '2',
  ]),
)
