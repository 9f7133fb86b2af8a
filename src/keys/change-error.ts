import { UserError } from '../lib/user-error.ts'

/** `rotated`: it has a successor already. `invalid`: what it was to be changed to is wrong in itself. */
export type KeyChangeReason = 'unknown' | 'ended' | 'rotated' | 'paused' | 'not_paused' | 'not_rotating' | 'invalid'

/** A change of a key that its state does not allow; `reason` is for callers that word it differently. */
export class KeyChangeError extends UserError {
  override name = 'KeyChangeError'
  readonly reason: KeyChangeReason

  constructor(reason: KeyChangeReason, message: string) {
    super(message)
    this.reason = reason
  }
}
