/** The pace of background work, which must leave time for other work. */
interface Pace {
  /** Called between transactions, with the duration of the last one. */
  pause(tookMs: number): Promise<void>
  isStopped(): boolean
}

/** For work that a person waits for. */
export const UNPACED: Pace = { pause: async () => {}, isStopped: () => false }

/** Repeats a step until it returns true, or the work is stopped. */
export async function untilDone({ pause, isStopped }: Pace, step: () => Promise<boolean>): Promise<void> {
  for (let isDone = false; !isDone && !isStopped(); ) {
    const startedAt = performance.now()
    isDone = await step()
    await pause(performance.now() - startedAt)
  }
}
