import { open } from 'node:fs/promises'
import type { Environment } from '../config.ts'
import { isToken } from '../keys/token.ts'
import { UserError } from '../lib/user-error.ts'
import { printMessage } from './output.ts'

/** A key has 53 characters: a file with more is not one of a key. */
const MAX_BYTES = 4096

/**
 * The key of a command that calls a server: from VITRINE_KEY, the file that VITRINE_KEY_FILE names, or stdin where that is allowed and
 * is no terminal. Never from an argument, which every user of the machine can see. What was given is not repeated.
 */
export async function readGivenKey(
  environment: Environment,
  { stdin = false }: { stdin?: boolean } = {},
): Promise<string> {
  const { VITRINE_KEY: key = '', VITRINE_KEY_FILE: file = '' } = environment
  if (key !== '' && file !== '') throw new UserError('VITRINE_KEY and VITRINE_KEY_FILE are both set; set one of them')
  if (key !== '') return checked(key, 'VITRINE_KEY')
  if (file !== '') return checked(await readKeyFile(file), `VITRINE_KEY_FILE: ${file}`)
  const piped = stdin && !process.stdin.isTTY ? await readStdin() : ''
  if (piped.trim() !== '') return checked(piped, 'stdin')
  throw new UserError(`no key: set VITRINE_KEY, or VITRINE_KEY_FILE to a file with it${stdin ? ', or pipe it in' : ''}`)
}

function checked(text: string, source: string): string {
  const key = text.trim()
  if (isToken(key)) return key
  throw new UserError(
    `${source}: holds no Vitrine key, which is vtr_ and 49 letters and digits; check that it was copied whole`,
  )
}

async function readKeyFile(path: string): Promise<string> {
  try {
    await using file = await open(path)
    const { mode } = await file.stat()
    if (mode & 0o004)
      printMessage(
        `vitrine: warning: ${path} holds a key, and every user of this machine may read it; run: chmod 600 ${path}`,
      )
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES))
    return buffer.toString('utf8', 0, bytesRead)
  } catch (error) {
    throw new UserError(`VITRINE_KEY_FILE: ${path} cannot be read (${(error as NodeJS.ErrnoException).code})`, {
      cause: error,
    })
  }
}

async function readStdin(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin) {
    text += chunk
    if (text.length > MAX_BYTES) break
  }
  return text
}
