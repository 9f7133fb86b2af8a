/**
 * A value that is there already, or a promise of it. A promise costs more than most steps of a request, so where nothing
 * has to be waited for none is made.
 */
export type Soon<T> = T | Promise<T>

/** Goes on with a value: at once if it is there. */
export const andThen = <T, U>(value: Soon<T>, next: (value: T) => Soon<U>): Soon<U> =>
  value instanceof Promise ? value.then(next) : next(value)

/** Does some work, and goes on with what came of it or with what went wrong. */
export function settle<T, U>(work: () => Soon<T>, next: (value: T) => U, recover: (error: unknown) => U): Soon<U> {
  let value: Soon<T>
  try {
    value = work()
  } catch (error) {
    return recover(error)
  }
  return value instanceof Promise ? value.then(next, recover) : next(value)
}
