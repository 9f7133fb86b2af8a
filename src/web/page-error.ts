/** Thrown to answer with an error page. Title and text are for the person who reads it. */
export class PageError extends Error {
  override name = 'PageError'
  readonly status: number
  readonly title: string
  readonly headers: readonly string[]

  constructor(status: number, title: string, text: string, headers: readonly string[] = []) {
    super(text)
    this.status = status
    this.title = title
    this.headers = headers
  }
}

/** The same for what is not there and for what is not theirs to see. */
export const notThere = () =>
  new PageError(
    404,
    'There is nothing here',
    'It was moved, or it belongs to a workspace that you are not a member of.',
  )
