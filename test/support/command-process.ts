import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Outcome } from './program.ts'

const MAIN = join(import.meta.dirname, 'command-process-main.ts')

export interface Command {
  words: string[]
  env: Record<string, string>
}

/** Runs commands in one process, one after the other: most of the time of a command is the start of its process. */
export function commandProcess(t: TestContext, folder: string): (command: Command) => Promise<Outcome> {
  let started: { child: ChildProcess; ended: Promise<never> } | undefined
  let last: Promise<unknown> = Promise.resolve()
  const start = () => {
    const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env
    const child = fork(MAIN, { cwd: folder, env: { PATH, NODE_COMPILE_CACHE }, execArgv: [] })
    t.after(() => child.kill('SIGKILL'))
    const ended = once(child, 'exit').then(() => Promise.reject(new Error('a command ended the process of all')))
    ended.catch(() => {})
    return { child, ended }
  }
  const perform = async (command: Command): Promise<Outcome> => {
    started ??= start()
    const { child, ended } = started
    child.send(command)
    const [outcome] = await Promise.race([once(child, 'message'), ended])
    return outcome
  }
  return (command) => {
    const outcome = last.then(() => perform(command))
    last = outcome.catch(() => {})
    return outcome
  }
}
