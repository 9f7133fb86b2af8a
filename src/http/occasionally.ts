const EVERY_MS = 10_000

/** Tells of something that may happen very often: at once, and then how many times it happened, every ten seconds at most. */
export function occasionally(tell: (times: number) => void): () => void {
  let times = 0
  let timer: NodeJS.Timeout | undefined
  const report = () => {
    timer = undefined
    if (times === 0) return
    tell(times)
    times = 0
    timer = setTimeout(report, EVERY_MS).unref()
  }
  return () => {
    times++
    if (timer === undefined) report()
  }
}
