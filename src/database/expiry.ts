/**
 * A list may hide each row until an instant of that row has passed, such as the end of a snooze. Time passing changes no row,
 * so no index notices. A mark notes that the instant was seen to have passed, and puts the row into the indexes of the list.
 * A read finds the rows whose instant has passed since, by that instant, and sorts them in among the others, which is quick as
 * long as they are few. Where they are many it has them marked in the background.
 *
 * A mark is not a response. Every row found is still judged by its own instant, so neither a clock that was set back nor a mark
 * that is missing or wrong can show a hidden row or hide a current one.
 */
export interface Expiry {
  /** As they stand in SQL, like the columns. */
  table: string
  instant: string
  isNullable: boolean
  mark: string
  /** What else holds for every row of the list. */
  only: readonly string[]
  index: string
  onInsert: string
  onUpdate: string
  /** PostgreSQL's triggers run it. */
  markFunction: string
}

export const MANY_UNMARKED = 100
