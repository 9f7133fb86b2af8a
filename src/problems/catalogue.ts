import entries from './catalogue.json' with { type: 'json' }

interface Entry {
  status: number
  title: string
  /** What happened, for the page that explains the code. */
  meaning: string
  /** What the client can do about it. A specific error may override it. */
  hint: string
}

export type ProblemCode = keyof typeof entries

/** Every error that a client can get. Published codes are permanent: add codes, but never rename or remove one. */
export const catalogue: Readonly<Record<ProblemCode, Entry>> = entries

export const problemCodes = Object.keys(catalogue) as ProblemCode[]
