import { InvalidValueError } from '../lib/user-error.ts'
import type { InputPart } from './format/frame.ts'
import type { RecordMap } from './map/load-map.ts'
import type { MapReport } from './map/report.ts'
import type { Credentials } from './snapshot/credentials.ts'
import type { Attempt } from './sources.ts'

export interface SyncOptions extends Attempt {
  /** Used instead of `firstPart`. */
  url?: URL | undefined
  /** Read again for every attempt. */
  credentials?(): Credentials
  signal?: AbortSignal | undefined
  /** The input: files, or the output of a command. */
  firstPart(): InputPart
  /** By default a fifth of the source's rows, but at least ten. */
  maxGone?: MaxGone | undefined
  allowEmpty?: boolean | undefined
  /** Fields that the snapshot may lack, though most of the source's rows have them. */
  allowMissing?: readonly string[] | undefined
  dryRun?: boolean | undefined
  map?: RecordMap | undefined
  report?: MapReport | undefined
}

/** A number of rows, or a percentage of the source's rows. */
export type MaxGone = { rows: number } | { percent: number }

export function parseMaxGone(text: string): MaxGone {
  const [, digits, sign] = /^(\d{1,15})(%?)$/.exec(text) ?? []
  const number = Number(digits)
  if (digits === undefined || (sign === '%' && number > 100))
    throw new InvalidValueError(`--max-gone must be a number, such as 500, or a percentage, such as 50%, not '${text}'`)
  return sign === '%' ? { percent: number } : { rows: number }
}
