/** The message is shown to the user: it explains the cause and what to do, and contains no secrets. */
export class UserError extends Error {
  override name = 'UserError'
}

/** Names the option or setting whose value is invalid. */
export function prefixingErrors<T>(prefix: string, read: () => T, As: new (message: string) => Error = UserError): T {
  try {
    return read()
  } catch (error) {
    throw new As(`${prefix}${(error as Error).message}`)
  }
}

/** The value itself is invalid, regardless of the data. */
export class InvalidValueError extends UserError {
  override name = 'InvalidValueError'
}
