import { type Lifecycle, lifecycleHeaders } from '../lifecycle.ts'
import type { Operation } from '../operation.ts'

/** An operation with what is the same for all its requests. */
export interface Route {
  operation: Operation
  allow: string
  lifecycle: readonly string[]
}

/** The routes by their paths. */
export const makeRoutes = (operations: readonly Operation[], lifecycle: Lifecycle): ReadonlyMap<string, Route> =>
  new Map(
    operations.map((operation) => [
      operation.path,
      {
        operation,
        allow: operation.methods.join(', '),
        lifecycle: lifecycleHeaders(lifecycle.get(operation.path)),
      },
    ]),
  )
