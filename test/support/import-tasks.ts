import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'

const VITRINE = new URL('../../bin/vitrine', import.meta.url).pathname

/** Imports tasks as an operator does: with the program, from another process, while the service runs. */
export async function importTasks(databaseUrl: string, records: object[]): Promise<void> {
  const program = spawn(VITRINE, ['task', 'import', '--workspace', 'acme', '-'], {
    env: { ...process.env, DATABASE_URL: databaseUrl },
  })
  let complaints = ''
  program.stderr.on('data', (chunk) => {
    complaints += chunk
  })
  program.stdin.end(records.map((record) => `${JSON.stringify(record)}\n`).join(''))
  const [code] = await once(program, 'close')
  assert.equal(code, 0, complaints)
}
