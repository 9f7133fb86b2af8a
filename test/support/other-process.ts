import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const PROGRAM = join(import.meta.dirname, 'other-process-main.ts')

/** Changes the database from a separate process, as an operator's command does. */
export async function changeFromOtherProcess(databaseUrl: string, sql: string): Promise<void> {
  await promisify(execFile)(process.execPath, [PROGRAM, databaseUrl, sql])
}
