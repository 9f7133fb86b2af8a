import type { Config } from '../config.ts'
import { StoreBusyError } from '../database/errors.ts'
import type { OperatorStore, Windows } from '../database/store.ts'
import type { Answer, PrivateFace, PrivateRequest } from '../operation.ts'
import { ProblemError } from '../problems/problem.ts'
import type { Resource } from '../resources/define.ts'
import { htmlAnswer, redirect } from './answers.ts'
import { Attempts } from './attempts.ts'
import { Cookies } from './cookies.ts'
import { openDesk, whoIsThere } from './desk.ts'
import { IdentityProvider } from './identity-provider.ts'
import { notThere, PageError } from './page-error.ts'
import { errorPage } from './pages/error.ts'
import type { Chrome } from './pages/model.ts'
import type { SettingsParts } from './parts.ts'
import { paths } from './paths.ts'
import { findRoute, type Route } from './routes.ts'

export interface Given {
  config: Pick<Config, 'publicUrl' | 'quota' | 'oidc'>
  store: OperatorStore
  resources: readonly Resource[]
  windows: Windows | undefined
  /** Instead of the time of the store. */
  clock: (() => number) | undefined
}

/** The people's face: everything under /settings, and the private JSON of its script under /api. */
export function makeSettings({ config, store, resources, windows, clock }: Given): PrivateFace['answer'] {
  const isSecure = config.publicUrl.startsWith('https:')
  const parts: SettingsParts = {
    config,
    store,
    resources,
    clock,
    cookies: new Cookies(isSecure),
    attempts: new Attempts(clock ?? Date.now, windows),
    provider: config.oidc && new IdentityProvider(config.oidc, config.publicUrl),
  }
  return (request) => {
    const own = { ...parts, store: storeFor(request, store) }
    return request.path.startsWith('/api/') ? answerScript(request, own) : answerPerson(request, own)
  }
}

/** Nothing is read for a client that has left while it waited. What it asked to be changed is changed all the same. */
const storeFor = (request: PrivateRequest, store: OperatorStore): SettingsParts['store'] => ({
  transaction: (work) => store.transaction(work),
  read: (work) => store.read(work, () => request.isGone),
  findSession: (hash) => store.findSession(hash),
})

/** Problems, as of any path that does not exist: whoever has no session learns nothing of what is here. */
async function answerScript(request: PrivateRequest, parts: SettingsParts): Promise<Answer> {
  const notFound = () => new ProblemError('not_found', 'This path is not one of this service.')
  const route = findRoute(request.path)
  const handler = route?.desk?.[methodOf(request)]
  const visit = handler && (await whoIsThere(request, parts))
  if (route === undefined || handler === undefined || visit === undefined) throw notFound()
  try {
    return await handler(openDesk(request, parts, visit, route.names))
  } catch (error) {
    throw error instanceof PageError ? notFound() : error
  }
}

async function answerPerson(request: PrivateRequest, parts: SettingsParts): Promise<Answer> {
  const route = findRoute(request.path)
  if (route === undefined) throw new ProblemError('not_found', 'This path is not one of this service.')
  try {
    return await follow(request, parts, route)
  } catch (error) {
    if (error instanceof PageError) return errorAnswer(error)
    // Whether that is a failure, or only a client that left, is known to whoever read the request.
    if (error instanceof ProblemError || request.isGone) throw error
    if (error instanceof StoreBusyError) return OVERLOADED
    request.report(error)
    return errorAnswer(
      new PageError(500, 'Something went wrong', `Try again. If it stays, tell the operator: ${request.requestId}.`),
    )
  }
}

async function follow(request: PrivateRequest, parts: SettingsParts, route: Route): Promise<Answer> {
  const method = methodOf(request)
  const open = route.open?.[method]
  if (open !== undefined) return open(request, parts)
  const handler = route.desk?.[method]
  if (handler === undefined) throw wrongMethod(route)
  const visit = await whoIsThere(request, parts)
  if (visit === undefined) return toSignIn(request, parts)
  const desk = openDesk(request, parts, visit, route.names)
  try {
    return await handler(desk)
  } catch (error) {
    if (error instanceof PageError) return errorAnswer(error, desk.chrome)
    throw error
  }
}

/** Whoever comes with a session that has ended is told so. */
function toSignIn(request: PrivateRequest, { cookies }: SettingsParts): Answer {
  const hadSession = cookies.read(request.header('cookie'), 'session') !== undefined
  return hadSession ? redirect(`${paths.signIn}?notice=ended`, cookies.clear('session')) : redirect(paths.signIn)
}

const methodOf = ({ method }: PrivateRequest) => (method === 'HEAD' ? 'GET' : method)

function wrongMethod(route: Route): PageError {
  const methods = Object.keys({ ...route.open, ...route.desk })
  if (methods.length === 0) return notThere()
  return new PageError(405, 'Not in this way', 'Use the links and buttons of the pages.', ['Allow', methods.join(', ')])
}

function errorAnswer({ status, title, message, headers }: PageError, chrome: Chrome | null = null): Answer {
  const back =
    chrome === null
      ? { href: paths.home, text: 'Go to the settings' }
      : { href: paths.keys(chrome.workspace.slug), text: 'Go to the API keys' }
  return htmlAnswer(status, errorPage({ status, title, text: message, back, chrome }), headers)
}

/** Made once: turning away must cost next to nothing. */
const OVERLOADED = errorAnswer(
  new PageError(503, 'Overloaded', 'Too many people or programs ask at once. Try again in a few seconds.', [
    'Retry-After',
    '2',
  ]),
)
