/** Milliseconds of one monotonic clock: every client and operator of a history lives in the test's own process. */
export interface Span {
  begin: number
  /** When the outcome was known. Infinity if it never was: a connection that was cut, or a timeout. */
  end: number
}

/** An operator's change. It was made at some moment of its span; without an end it may have been made, or be made later. */
export interface Write extends Span {
  kind: 'write'
  register: string
  /** Grows with each write to the register. 0 is there from the beginning. */
  value: number
}

interface Revocation extends Span {
  kind: 'revocation'
  key: string
}

interface Creation extends Span {
  kind: 'creation'
  key: string
}

/** A request that got a response. Interrupted ones are not in the history, because their outcome is unknown. */
export interface Request extends Span {
  kind: 'request'
  key: string
  status: number
  /** What a 200 read, and from where. */
  register?: string
  value?: number
  /** RateLimit-Remaining and RateLimit-Reset, where the key was recognised. */
  remaining?: number
  resetSeconds?: number
  /** Set if the body was not what the version it names must look like. */
  wrongBody?: string
}

/** Quota windows may have been forgotten at some moment of this span: a crash of whatever counts them. */
interface Forgetting extends Span {
  kind: 'forgetting'
}

export type Event = Write | Revocation | Creation | Request | Forgetting

export interface History {
  events: readonly Event[]
  quotas: Readonly<Record<string, { limit: number; windowSeconds: number }>>
}

type Begun<Kind> = Kind extends Span ? Omit<Kind, keyof Span> : never

/** Records when actions began and ended. A failed one may still have happened, so it has no end. */
export class Recorder {
  readonly events: Event[] = []
  readonly quotas: Record<string, { limit: number; windowSeconds: number }> = {}

  /** In the history from its beginning: others may see what it does before it is acknowledged. */
  async during<Result>(what: Begun<Write | Revocation | Forgetting>, action: () => Promise<Result>): Promise<void> {
    const event: Event = { ...what, begin: performance.now(), end: Number.POSITIVE_INFINITY }
    this.events.push(event)
    try {
      await action()
      event.end = performance.now()
    } catch (error) {
      // Of an operator's change the outcome is unknown; a crash that did not come about is a fault of the test.
      if (what.kind === 'forgetting') throw error
    }
  }

  /** In the history once its result is known, and not at all if it never is. */
  async after<Result>(action: () => Promise<Result>, describe: (result: Result) => Begun<Creation | Request>) {
    const begin = performance.now()
    try {
      const result = await action()
      this.events.push({ ...describe(result), begin, end: performance.now() })
      return result
    } catch {
      return undefined
    }
  }
}
