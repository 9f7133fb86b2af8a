import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { PROGRAM, type Program } from '../support/program.ts'

/** A shell in the program's folder, as for a reader who follows a guide. */
export async function openGuideShell(
  vitrine: Program,
  { env: more = {}, here = (text) => text }: { env?: Record<string, string>; here?: (text: string) => string } = {},
) {
  await vitrine.run('workspace', 'list')
  const { folder } = vitrine
  mkdirSync(join(folder, 'bin'))
  symlinkSync(PROGRAM, join(folder, 'bin/vitrine'))
  const exported: string[] = []

  async function run(text: string, stopAt?: RegExp): Promise<{ printed: string; status: number }> {
    // Messages and results in one stream, as on a terminal. What an earlier block exported is still there.
    const script = ['exec 2>&1', ...exported, stopAt === undefined ? here(text) : `exec ${here(text)}`].join('\n')
    const env = { ...vitrine.env, PATH: `${folder}:${vitrine.env.PATH}`, ...more }
    const child = spawn('sh', ['-e', '-c', script], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
    const exited = once(child, 'exit')
    let printed = ''
    let isStopped = false
    for await (const chunk of child.stdout) {
      printed += chunk
      // A second signal would end it at once.
      if (!isStopped && stopAt?.test(printed)) isStopped = child.kill('SIGTERM')
    }
    const [status] = await exited
    exported.push(...(text.match(/^export .*$/gm) ?? []))
    return { printed, status }
  }

  return {
    /** Runs commands as if pasted into a shell; returns their output. Those that repeat are stopped. */
    async paste(text: string, expected = 0): Promise<string> {
      const { printed, status } = await run(text, text.includes('--every') ? /Synced \d/ : undefined)
      assert.equal(status, expected, `${text}\n${printed}`)
      return printed
    },
  }
}

/** Whole lines, in which … stands for anything. */
export const shownAs = (shown: string): RegExp =>
  new RegExp(`^${shown.trimEnd().split('…').map(RegExp.escape).join('.*')}$`, 'm')
