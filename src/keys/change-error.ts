import { UserError } from '../lib/user-error.ts'

export type KeyChangeReason =
  | 'unknown'
  | 'ended'
  | 'rotated'
  | 'connected'
  | 'paused'
  | 'not_paused'
  | 'not_rotating'
  | 'invalid'

export class KeyChangeError extends UserError {
  override name = 'KeyChangeError'
  readonly reason: KeyChangeReason

  constructor(reason: KeyChangeReason, message: string) {
    super(message)
    this.reason = reason
  }
}
