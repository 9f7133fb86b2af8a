import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { pipeline } from 'node:stream/promises'
import { readUpTo } from '../../lib/chunks.ts'
import { UserError } from '../../lib/user-error.ts'

/**
 * Without these, a repository could make git run a monitor or a hook, fetch missing objects with a program of its choice, or show
 * replacements for its objects.
 */
const RESTRICTED = {
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_NO_LAZY_FETCH: '1',
  // This allows no protocol, so older versions of git do not fetch either.
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  LC_ALL: 'C',
}
/** For repositories that were found; in the current folder, the user's configuration decides which repositories are trusted. */
const NO_CONFIGURATION = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' }
/** By default, git maps whole packs, and holds files of up to 512 MiB in memory. A relative diff leaves out other folders. */
const OPTIONS = ['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'core.bigFileThreshold=16m']
  .concat('core.packedGitWindowSize=16m', 'core.packedGitLimit=128m', 'diff.relative=false')
  .flatMap((setting) => ['-c', setting])

/** Enough for the largest objects and an index of ten million; a few kilobytes of deltas can require any amount. */
const MAX_MEMORY_KIB = 2 * 1024 ** 2
/** The shell sets the limit, if the system supports it, and then executes git. */
const WITH_LIMIT = `ulimit -v ${MAX_MEMORY_KIB} 2>/dev/null; exec git "$@"`
const NOT_FOUND = 127

/** Only the first line of stderr is shown. */
const MAX_MESSAGE_CHARACTERS = 10_000
/** Enough for the paths of half a million files. */
const MAX_OUTPUT_BYTES = 64 * 1024 ** 2
/** No file system supports a path of that length. */
const MAX_LINE_BYTES = 1024 ** 2

export type GitRepository =
  /** Objects that were found, accessed from our own repository: their own configuration is not read. */
  | { ownFolder: string; objectFolder: string; indexFile?: string }
  /** The repository that contains a folder, or that runs this program as a hook. */
  | { workingFolder: string }

export type GitInput = AsyncIterable<string> | Iterable<string>

/** Git is stopped when the caller stops reading. Throws a UserError with git's own message if git fails. */
export async function* runGit(
  repository: GitRepository,
  args: readonly string[],
  timeoutMs: number,
  input: GitInput = [],
): AsyncGenerator<Buffer> {
  const startedAt = performance.now()
  const child = spawn('/bin/sh', ['-c', WITH_LIMIT, 'git', '--no-pager', ...OPTIONS, ...args], {
    ...('workingFolder' in repository && { cwd: repository.workingFolder }),
    env: environmentFor(repository),
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  })
  const closed = once(child, 'close')
  closed.catch(() => {})
  let message = ''
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    if (message.length < MAX_MESSAGE_CHARACTERS) message += piece
  })
  let inputFailure: unknown
  pipeline(input, child.stdin).catch((error) => {
    inputFailure = error
  })
  try {
    yield* child.stdout
    const [code, signal] = await closed
    if (code !== 0 && performance.now() - startedAt >= timeoutMs)
      throw new UserError(`git took longer than ${Math.ceil(timeoutMs / 60_000)} min`)
    // The input may be the output of another git process; then this failure is only a consequence.
    if (inputFailure instanceof UserError) throw inputFailure
    if (code === 0) return
    if (code === NOT_FOUND) throw new UserError('the program git is not installed')
    const [line = ''] = message.trim().split('\n')
    throw new UserError(`git: ${line.replace(/^fatal: /, '') || `ended with ${signal ?? code}`}`)
  } finally {
    child.kill('SIGKILL')
    // Nothing waits for the rest of the pipe.
    child.stdout.destroy()
  }
}

function environmentFor(repository: GitRepository): NodeJS.ProcessEnv {
  if ('workingFolder' in repository) return { ...process.env, ...RESTRICTED }
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))
  return {
    ...Object.fromEntries(inherited),
    ...RESTRICTED,
    ...NO_CONFIGURATION,
    GIT_DIR: repository.ownFolder,
    GIT_OBJECT_DIRECTORY: repository.objectFolder,
    ...(repository.indexFile && { GIT_INDEX_FILE: repository.indexFile }),
  }
}

/** Lines in batches, one character per byte. */
export async function* outputLines(output: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  let rest = ''
  for await (const piece of output) {
    const lines = (rest + piece.toString('latin1')).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MAX_LINE_BYTES) throw new UserError('git: the repository has a path longer than a megabyte')
    yield lines
  }
}

/** For commands with `-z`. */
export async function nulSeparated(repository: GitRepository, args: readonly string[], timeoutMs: number) {
  const output = await readUpTo(runGit(repository, args, timeoutMs), MAX_OUTPUT_BYTES)
  if (output === undefined) throw new UserError(`git ${args[0]} printed more than ${MAX_OUTPUT_BYTES} bytes`)
  return output.toString('utf8').split('\0')
}
