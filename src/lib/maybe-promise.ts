/**
 * A value that is there already, or a promise of it. Where nothing has to be waited for, no promise is made: they would
 * cost a twentieth of a request, see docs/decisions/0018-each-mechanism-measured.md.
 */
export type MaybePromise<T> = T | Promise<T>

/** Goes on with a value: at once if it is there. */
export const chain = <T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> =>
  value instanceof Promise ? value.then(next) : next(value)

/** Does some work, and goes on with what came of it or with what went wrong. */
export function settle<T, U>(
  work: () => MaybePromise<T>,
  next: (value: T) => U,
  recover: (error: unknown) => U,
): MaybePromise<U> {
  let value: MaybePromise<T>
  try {
    value = work()
  } catch (error) {
    return recover(error)
  }
  return value instanceof Promise ? value.then(next, recover) : next(value)
}
