/**
 * A value, or a promise of it. Where nothing has to be awaited, no promise is created: they would cost a twentieth of a
 * request, see docs/decisions/0018-each-mechanism-measured.md.
 */
export type MaybePromise<T> = T | Promise<T>

/** What `next` returns for the value: at once if it is there, otherwise when it is. */
export const whenReady = <T, R>(value: MaybePromise<T>, next: (value: T) => R): MaybePromise<R> =>
  value instanceof Promise ? value.then(next) : next(value)
