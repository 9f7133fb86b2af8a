/** Avoids promises where nothing is awaited: they would add a twentieth to a request's cost (decision 0018). */
export type MaybePromise<T> = T | Promise<T>

export const whenReady = <T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> =>
  value instanceof Promise ? value.then(next) : next(value)
