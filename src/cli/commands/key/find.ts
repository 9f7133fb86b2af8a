import { identifyToken } from '../../../keys/identify.ts'
import { readUpTo } from '../../../lib/chunks.ts'
import { counted } from '../../../lib/format-count.ts'
import { displayToken, isToken } from '../../../lib/key-format.ts'
import { UserError } from '../../../lib/user-error.ts'
import { Command } from '../../command.ts'
import type { Context } from '../../context.ts'
import { ExitCode } from '../../errors.ts'
import { chunksOf } from '../../input-file.ts'
import { isJson, print, printJson, printMessage, program, sanitize } from '../../terminal/output.ts'

export const findCommand = ({ read }: Context) =>
  new Command('find', 'find out whose keys are on stdin, one per line, and which of them are live')
    .notes(`
It changes nothing, and prints only the first characters of a key.

Exit code: 0 if no key is live, 1 if one is, or if a line is not a key.`)
    .examples('key find < found.txt', 'key find --json < found.txt')
    .withResult(async () => {
      const { lines, invalidLines } = await readLines()
      const keys = await read((tx) =>
        Array.fromAsync(lines, async ({ line, token }) => foundKey(line, token, await identifyToken(tx, token))),
      )
      if (invalidLines.length > 0 || keys.some(({ state }) => state === 'live')) process.exitCode = ExitCode.failure
      if (isJson()) return printJson({ keys, invalidLines })
      for (const key of keys) printKey(key)
      reportInvalid(invalidLines)
      if (keys.length + invalidLines.length === 0) printMessage('There are no keys on stdin.')
    })

/** About 19,000 keys. */
const MAX_INPUT_BYTES = 1024 * 1024

async function readLines() {
  const input = await readUpTo(chunksOf('-'), MAX_INPUT_BYTES)
  if (input === undefined) throw new UserError('stdin: is longer than 1 MiB; look up fewer keys at a time')
  const lines = input
    .toString()
    .split('\n')
    .map((text, i) => ({ line: i + 1, token: text.trim() }))
    .filter(({ token }) => token !== '')
  const { tokens = [], others = [] } = Object.groupBy(lines, ({ token }) => (isToken(token) ? 'tokens' : 'others'))
  return { lines: tokens, invalidLines: others.map(({ line }) => line) }
}

type FoundKey = ReturnType<typeof foundKey>

function foundKey(line: number, token: string, key: Awaited<ReturnType<typeof identifyToken>>) {
  const prefix = displayToken(token)
  if (key === undefined) return { line, prefix, state: 'unknown' } as const
  const mayWork = key.state === 'live' || key.state === 'paused'
  return { line, prefix, ...key, revoke: mayWork ? `${program} key revoke ${key.id}` : null }
}

function printKey(key: FoundKey): void {
  const { prefix, state } = key
  if (state === 'unknown') {
    print(`${prefix}…  unknown`)
    return
  }
  const { id, label, workspace, lastUsedAt, revoke } = key
  const used = lastUsedAt === null ? 'never used' : `last used ${lastUsedAt}`
  print(`${prefix}…  ${state}  ${id}  "${sanitize(label)}" of ${sanitize(workspace)}, ${used}`)
  if (revoke !== null) print(`  ${revoke}`)
}

const MAX_SHOWN = 20

/** A line is not printed: it may be most of a key. */
function reportInvalid(lines: readonly number[]): void {
  for (const line of lines.slice(0, MAX_SHOWN)) printMessage(`line ${line}: is not a key`)
  if (lines.length > MAX_SHOWN) printMessage(`… and ${counted(lines.length - MAX_SHOWN, 'more line')}`)
}
