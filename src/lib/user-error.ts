/** The message is shown to the user: it says why and what to do, and holds no secret. */
export class UserError extends Error {
  override name = 'UserError'
}

/** The value is wrong in itself, whatever the data. */
export class InvalidValueError extends UserError {
  override name = 'InvalidValueError'
}
