import type { NonApiTarget, Operation, Page } from '../api/operation.ts'
import { type Lifecycle, lifecycleHeaders } from '../api/path-lifecycle.ts'
import { isServedBy } from '../api/reserved-paths.ts'
import { acceptsHtml } from '../lib/http-headers.ts'
import { ProblemError } from '../problems/problem.ts'
import type { HttpRequest } from './request.ts'
import { isHost } from './request-target.ts'

/** What a request is for. */
export type Route = OperationRoute | NonApiRoute

export interface OperationRoute {
  /** The operation's path: never text chosen by a client. */
  name: string
  operation: Operation
  methods: readonly string[]
  allow: string
  /** Headers of every response. */
  headers: readonly string[]
  isForApi: true
}

export interface NonApiRoute {
  name: NonApiTarget
  operation?: never
  page: Page | undefined
  headers: readonly string[]
  /** Only API responses have quota headers. */
  isForApi: boolean
}

const NO_HEADERS: readonly string[] = []
const UNREADABLE: NonApiRoute = { name: 'invalid', page: undefined, headers: NO_HEADERS, isForApi: true }

export type Router = ReturnType<typeof createRouter>

/** Pages are matched in their order, after the operations. */
export function createRouter(operations: readonly Operation[], pages: readonly Page[], lifecycle: Lifecycle) {
  const operationRoutes = new Map(operations.map((operation) => [operation.path, operationRoute(operation, lifecycle)]))
  const notFound = pages.find(({ showsNotFound }) => showsNotFound)

  const pageAt = (path: string, accept?: string) =>
    pages.find(({ paths, accepts }) => isServedBy(paths, path) && (accepts?.(path, accept) ?? true))

  return {
    findRoute(request: HttpRequest): Route {
      const { path, method } = request
      const operation = operationRoutes.get(path)
      if (operation !== undefined) return operation
      if (request.decodedPath === undefined) return UNREADABLE
      const accept = request.header('accept')
      const page = pageAt(path, accept)
      if (page !== undefined) return { name: page.kind, page, headers: NO_HEADERS, isForApi: false }
      const shown = isRead(method) && acceptsHtml(accept) ? notFound : undefined
      return { name: 'not_found', page: shown, headers: NO_HEADERS, isForApi: shown === undefined }
    },

    /** The methods that a path allows, for the header Allow. Undefined if there is no such path. */
    methodsAt: (path: string): string | undefined =>
      operationRoutes.get(path)?.allow ?? (pageAt(path) === undefined ? undefined : READ_METHODS),
  }
}

/** Of pages, except for those of the settings. */
export const READ_METHODS = 'GET, HEAD'
export const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD'

function operationRoute(operation: Operation, lifecycle: Lifecycle): OperationRoute {
  const { path, contract } = operation
  const methods = contract.method === 'get' ? ['GET', 'HEAD'] : ['POST']
  const headers = lifecycleHeaders(lifecycle.get(path))
  return { name: path, operation, methods, allow: methods.join(', '), headers, isForApi: true }
}

/** RFC 9112 §3.2: exactly one valid Host is required, except in HTTP/1.0. */
export function checkHostHeader({ req }: HttpRequest): void {
  const { host } = req.headers
  if (host === undefined && req.httpVersion !== '1.0')
    throw new ProblemError('bad_request', 'The request has no Host header.')
  if (host !== undefined && !isHost(host))
    throw new ProblemError('bad_request', 'The Host header is not one host with an optional port.')
}

export function checkPath({ decodedPath }: HttpRequest): void {
  if (decodedPath === undefined)
    throw new ProblemError('bad_request', 'The path contains a percent sign that does not encode a character.')
}
