/** The audit log and the request log are searched alike: newest first, a slice at a time. */
export interface SlicedLog<Row, Position> {
  /** The next rows before the position, or the newest, and those of them that were searched for. */
  read(before: Position | null, limit: number): Promise<{ rows: Row[]; matches: Row[] }>
  positionOf(row: Row): Position
  isFiltered: boolean
}

/** Per read, because the thread also serves requests. */
const SLICE_ROWS = 500

/** The `end` of the last slice is null. */
export async function* slicesOf<Row, Position>(
  { read, positionOf, isFiltered }: SlicedLog<Row, Position>,
  before: Position | null = null,
  most = Number.POSITIVE_INFINITY,
) {
  // Without a filter, one extra row shows whether there are more.
  const limit = isFiltered ? SLICE_ROWS : Math.min(most + 1, SLICE_ROWS)
  let end = before
  do {
    const { rows, matches } = await read(end, limit)
    const last = rows.at(-1)
    end = last === undefined || rows.length < limit ? null : positionOf(last)
    yield { matches, searched: rows.length, end }
  } while (end !== null)
}

/** `next` is where to continue, or null if there is nothing older. `isCut` is true if the search stopped before the oldest row. */
export async function searchLog<Row, Position>(
  log: SlicedLog<Row, Position>,
  before: Position | null,
  limit: number,
  mostSearched = Number.POSITIVE_INFINITY,
) {
  const all: Row[] = []
  let total = 0
  for await (const { matches, searched, end } of slicesOf(log, before, limit)) {
    all.push(...matches)
    total += searched
    if (all.length > limit) {
      const page = all.slice(0, limit)
      return { matches: page, next: log.positionOf(page.at(-1) as Row), isCut: false }
    }
    if (end !== null && total >= mostSearched) return { matches: all, next: end, isCut: true }
  }
  return { matches: all, next: null, isCut: false }
}
