import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const PROGRAM = join(import.meta.dirname, 'other-process-main.ts')

/** Changes the database from a process of its own, as a command of the operator does. */
export async function changeFromOtherProcess(databaseUrl: string, sql: string): Promise<void> {
  await promisify(execFile)(process.execPath, [PROGRAM, databaseUrl, sql])
}
