/**
 * A value, or a promise of it. Where nothing has to be awaited, no promise is created: they would cost a twentieth of a
 * request, see docs/decisions/0018-each-mechanism-measured.md.
 */
export type MaybePromise<T> = T | Promise<T>

/** Calls `next` with the value: synchronously if it is no promise. */
export const chain = <T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> =>
  value instanceof Promise ? value.then(next) : next(value)

/** Runs `work`, then `next` with its value or `recover` with its error: synchronously if it returns no promise. */
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
