export type SqlValue = string | number | null

/** Statements use `?` for parameters. */
export interface SqlConnection {
  all<Row>(sql: string, ...params: SqlValue[]): Promise<Row[]>
  /** Reads in batches, so that a large result does not fill the memory. Only one result may be open at a time. */
  batches<Row>(sql: string, ...params: SqlValue[]): AsyncGenerator<Row[]>
  run(sql: string, ...params: SqlValue[]): Promise<number>
  /** As fast as the engine can: `into` is the part of the statement before VALUES, and `onConflict` the part after it. */
  insert(into: string, rows: readonly SqlValue[][], onConflict: string): Promise<void>
}

/** Runs statements that are valid on both engines. Each domain folder keeps its statements in `records.ts`. */
export interface Transaction extends SqlConnection {
  /** The store's time at the start. Replicas agree on it, even if their own clocks differ. */
  readonly nowMs: number
  /** Lets only one transaction with this name run at a time, on all replicas. Call it first, to avoid deadlocks. */
  lock(name: string): Promise<void>
  /** If the work fails, only the work is undone. The store reports the failure after the commit. */
  attempt(work: () => Promise<void>, failure: string): Promise<void>
}
