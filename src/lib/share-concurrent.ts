/** Callers that come while the work is being done get its result. */
export function shareConcurrent<T>(work: () => Promise<T>): () => Promise<T> {
  let pending: Promise<T> | undefined
  return () => {
    pending ??= work().finally(() => {
      pending = undefined
    })
    return pending
  }
}
