/** The message is shown to the user: it explains the cause and what to do, and contains no secrets. */
export class UserError extends Error {
  override name = 'UserError'
}

/** The value itself is invalid, regardless of the data. */
export class InvalidValueError extends UserError {
  override name = 'InvalidValueError'
}
