/** The last batch may be smaller; none is empty. */
export function* inBatches<T>(all: Iterable<T>, size: number): Generator<T[]> {
  let batch: T[] = []
  for (const one of all) {
    batch.push(one)
    if (batch.length < size) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
