import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { acmeProgram, PROGRAM, type Program } from '../support/program.ts'

/** The words of a command that syncs acme's tasks with a source. */
export const syncOf = (source: string): string[] => ['task', 'sync', '--workspace', 'acme', '--source', source]

/** A snapshot of tasks with these ids. */
export const snapshotOf = (...ids: string[]) => JSON.stringify(ids.map((id) => ({ id, title: `Task ${id}` })))

/** The program with the workspace acme, whose tasks are synced with one source. */
export async function syncProgram(t: TestContext, source: string, settings: Record<string, string> = {}) {
  const vitrine = await acmeProgram(t, settings)
  const words = syncOf(source)
  const column = async (sql: string) => (await vitrine.query<object>(sql)).map((row) => Object.values(row)[0])
  return {
    ...vitrine,
    words,
    /** The counts, or the messages. */
    async sync(...more: string[]) {
      const { code, stdout, stderr } = await vitrine.run(...words, '--json', ...more)
      return code === 0 ? JSON.parse(stdout) : stderr
    },
    column,
    ids: () => column('SELECT id FROM list_items ORDER BY id'),
  }
}

/** Starts a command that reads from a pipe. */
export function feed(t: TestContext, { folder, env }: Program, words: string[], more: Record<string, string> = {}) {
  const child = spawn(PROGRAM, [...words, '-'], { cwd: folder, env: { ...env, ...more } })
  t.after(() => child.kill('SIGKILL'))
  const ended = Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)])
  const outcome = ended.then(([[code], stdout, stderr]) => ({ code: code as number | null, stdout, stderr }))
  return { child, outcome }
}
