import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Outcome } from './program.ts'

const MAIN = join(import.meta.dirname, 'command-process-main.ts')

export interface Command {
  words: string[]
  env: Record<string, string>
  folder: string
  /** The URL of another list than the published one. */
  resources?: string | undefined
}

let child: ChildProcess | undefined
let last: Promise<unknown> = Promise.resolve()

/**
 * Runs commands in one process, one after the other: most of a command's time is the start of its process. While it runs none, it keeps
 * no test process alive.
 */
export function runInCommandProcess(command: Command): Promise<Outcome> {
  const outcome = last.then(() => perform(command))
  last = outcome.catch(() => {})
  return outcome
}

async function perform(command: Command): Promise<Outcome> {
  child ??= start()
  child.ref()
  child.channel?.ref()
  const ended = new AbortController()
  const exit = once(child, 'exit', { signal: ended.signal }).then(() => {
    throw new Error(`vitrine ${command.words.join(' ')} ended the process of all commands`)
  })
  child.send(command)
  const [outcome] = await Promise.race([once(child, 'message', { signal: ended.signal }), exit]).finally(() => {
    ended.abort()
    child?.unref()
    child?.channel?.unref()
    exit.catch(() => {})
  })
  return outcome
}

function start(): ChildProcess {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env
  const started = fork(MAIN, { env: { PATH, NODE_COMPILE_CACHE }, execArgv: [] })
  started.once('exit', () => {
    if (child === started) child = undefined
  })
  return started
}
