/** A list that is read in place cannot be read at the moment. Nothing of it has a value of a row, except for the row's id. */
export class SourceUnavailable extends Error {
  override name = 'SourceUnavailable'
  readonly list: string
  /** The row that does not fit the definition, if that is the reason. */
  readonly row: string | undefined
  readonly field: string | undefined

  constructor(
    list: string,
    reason: string,
    { row, field, cause }: { row?: string; field?: string; cause?: unknown } = {},
  ) {
    super(reason, { cause })
    this.list = list
    this.row = row
    this.field = field
  }
}
