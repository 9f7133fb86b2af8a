/** What both engines' connections have in common. Parameters are written as `?`. */
export interface SqlConnection {
  all<Row>(sql: string, ...params: SqlValue[]): Promise<Row[]>
  /** Returns the number of rows that it changed. */
  run(sql: string, ...params: SqlValue[]): Promise<number>
}

export type SqlValue = string | number | null
