/** Concurrent callers share one run and its result. */
export function shareConcurrent<T>(work: () => Promise<T>): () => Promise<T> {
  let pending: Promise<T> | undefined
  return () => {
    pending ??= work().finally(() => {
      pending = undefined
    })
    return pending
  }
}
