/** What a failure is probably caused by, and what to do. */
export interface Diagnosis {
  cause: string
  fix: string
  /** A section of a standard, or a page of the documentation. */
  see: string
}

/** The promise is not kept. */
export class Deviation extends Error {
  override name = 'Deviation'
  readonly expected: string
  readonly got: string
  readonly diagnosis: Diagnosis

  constructor(expected: string, got: string, diagnosis: Diagnosis) {
    super(`expected ${expected}, got ${got}`)
    this.expected = expected
    this.got = got
    this.diagnosis = diagnosis
  }
}

/** The promise cannot be checked here; the message says why. */
export class Skip extends Error {
  override name = 'Skip'
}
