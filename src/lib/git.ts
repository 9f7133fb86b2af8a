import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { UserError } from './user-error.ts'

/**
 * What a repository that was found somewhere could otherwise make git do: read another configuration, run a monitor or a hook, fetch
 * missing objects with a program of its choice, show other objects than those that are there.
 */
const RESTRICTED = {
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_NO_LAZY_FETCH: '1',
  // A list: none of these is a protocol, so that no older git fetches either.
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  LC_ALL: 'C',
}
/** Of a repository that was met on the way; in one's own folder, one's own configuration says whose repositories are trusted. */
const OWN_CONFIGURATION_ONLY = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' }
const OPTIONS = ['--no-pager', '-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null']

/** Variables that name a repository, its index or its objects, as git sets them for a hook. */
const LOCATION =
  /^GIT_(?:DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|NAMESPACE|PREFIX)$/

/** Its first line is shown. */
const MAX_WORDS = 10_000

export type GitRepository =
  /** A repository's own folder, such as `.git`. */
  | { gitFolder: string }
  /** The repository of a folder, or of the hook that runs this program. */
  | { workingFolder: string }

export interface GitProcess {
  /** For whoever has read enough. Nothing waits for what is left in the pipe. */
  stop(): void
  stdout: AsyncIterable<Buffer>
  /** Resolves when it has ended well; rejects with a UserError that has git's own words. */
  ended: Promise<void>
}

export function startGit(
  repository: GitRepository,
  args: readonly string[],
  input?: AsyncIterable<string>,
): GitProcess {
  const isNamed = 'gitFolder' in repository
  const inherited = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('GIT_') || (!isNamed && LOCATION.test(name)),
  )
  const child = spawn('git', [...OPTIONS, ...(isNamed ? [`--git-dir=${repository.gitFolder}`] : []), ...args], {
    ...(isNamed ? {} : { cwd: repository.workingFolder }),
    env: { ...Object.fromEntries(inherited), ...RESTRICTED, ...(isNamed && OWN_CONFIGURATION_ONLY) },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let words = ''
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    if (words.length < MAX_WORDS) words += piece
  })
  const ended = once(child, 'close').then(
    ([code]) => {
      if (code !== 0) throw new UserError(`git: ${(words.trim().split('\n')[0] ?? '').replace(/^fatal: /, '')}`)
    },
    ({ code }: NodeJS.ErrnoException) => {
      throw new UserError(code === 'ENOENT' ? 'the program git is not installed' : `git cannot be run (${code})`)
    },
  )
  // Whoever reads the output is told of its end first, and asks for the rest then.
  ended.catch(() => {})
  child.stdin.on('error', () => {})
  if (input === undefined) child.stdin.end()
  else void feed(child, input)
  const stop = () => {
    child.kill()
    child.stdout.destroy()
  }
  return { stop, stdout: child.stdout as AsyncIterable<Buffer>, ended }
}

async function feed({ stdin }: ChildProcess, input: AsyncIterable<string>): Promise<void> {
  if (stdin === null) return
  for await (const piece of input) if (!stdin.write(piece)) await once(stdin, 'drain').catch(() => {})
  stdin.end()
}

/** Everything that a command prints. */
export async function runGit(repository: GitRepository, args: readonly string[]): Promise<string> {
  const { stdout, ended } = startGit(repository, args)
  const pieces: Buffer[] = []
  for await (const piece of stdout) pieces.push(piece)
  await ended
  return Buffer.concat(pieces).toString('utf8')
}
