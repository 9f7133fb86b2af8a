/** Avoids promises where nothing is awaited: they would add a twentieth to a request's cost (decision 0018). */
export type MaybePromise<T> = T | Promise<T>

export const whenReady = <T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> =>
  value instanceof Promise ? value.then(next) : next(value)

/** `onError` gets what the work throws or rejects with, but not what `onValue` throws. */
export function settle<T, R>(
  work: () => MaybePromise<T>,
  onValue: (value: T) => MaybePromise<R>,
  onError: (error: unknown) => MaybePromise<R>,
): MaybePromise<R> {
  let value: MaybePromise<T>
  try {
    value = work()
  } catch (error) {
    return onError(error)
  }
  return value instanceof Promise ? value.then(onValue, onError) : onValue(value)
}
