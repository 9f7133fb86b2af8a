import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cpus } from 'node:os'

/** The machine cannot be measured on; the message says what it lacks. */
export class UnsupportedMachine extends Error {}

export interface Cores {
  server: number
  load: number
  /** The load's own, unless there is a third. */
  database: number
}

function taskset(...args: string[]): string {
  const { status, stdout, error } = spawnSync('taskset', args, { encoding: 'utf8', timeout: 5000 })
  if (error !== undefined || status !== 0)
    throw new UnsupportedMachine('the bench needs `taskset` (Linux, package util-linux)')
  return stdout
}

/** "0,2-4" as the numbers it stands for. */
export function parseCores(list: string): number[] {
  return list.split(',').flatMap((part) => {
    const [first = 0, last = first] = part.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, i) => first + i)
  })
}

let allowed: number[] | undefined

/** The cores that this process may use, as it was before it was pinned to one. */
function allowedCores(): number[] {
  allowed ??= parseCores(taskset('-cp', String(process.pid)).split(': ')[1]?.trim() ?? '')
  return allowed
}

/** One core for the server, another for the load generator. */
export function cores(): Cores {
  if (!existsSync(`/proc/${process.pid}/task/${process.pid}/schedstat`))
    throw new UnsupportedMachine(
      'the bench needs /proc with schedstat (Linux, CONFIG_SCHED_INFO) to see what a request costs',
    )
  const [server, load, database = load] = allowedCores()
  if (server === undefined || load === undefined || database === undefined)
    throw new UnsupportedMachine('the bench needs two cores: one for the server, one for the load')
  return { server, load, database }
}

/** This process, all its threads, on one core. */
export const pinTo = (core: number): void => void taskset('-acp', String(core), String(process.pid))

export const unpin = (): void => void taskset('-acp', allowedCores().join(','), String(process.pid))

export const describeMachine = (): string =>
  `${allowedCores().length} cores, ${cpus()[0]?.model.trim() ?? 'unknown'}; Node.js ${process.versions.node}`
