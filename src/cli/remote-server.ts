import { text as readText } from 'node:stream/consumers'
import type { Environment } from '../config.ts'
import { isToken } from '../lib/key-format.ts'
import { isLoopback } from '../lib/network.ts'
import { holdsKey } from '../lib/redact.ts'
import { readSecretFile } from '../lib/secret-file.ts'
import { prefixingErrors, UserError } from '../lib/user-error.ts'
import { UsageError } from './errors.ts'
import { printMessage } from './terminal/output.ts'

/** Errors do not quote the URL, which may contain a secret. */
export function parseServerUrl(text: string, name: string): URL {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError(`${name}: must begin with https:// or http://, such as https://vitrine.example.com`)
  if (url.username !== '' || url.password !== '')
    throw new UsageError(`${name}: must not contain a user name or password: the API accepts only the key`)
  if (url.search !== '' || url.hash !== '') throw new UsageError(`${name}: must not have a query or a fragment`)
  return url
}

export function warnIfUnencrypted({ protocol, hostname, origin }: URL): void {
  if (protocol === 'http:' && !isLoopback(hostname))
    printMessage(`vitrine: warning: ${origin} is not encrypted: anyone on the network can read the key; use https://`)
}

/** Errors do not quote the value, which may be a secret. */
export async function readServerKey(environment: Environment, { stdin = false } = {}): Promise<string> {
  const { VITRINE_KEY: key = '', VITRINE_KEY_FILE: file = '' } = environment
  if (key !== '' && file !== '') throw new UserError('VITRINE_KEY and VITRINE_KEY_FILE are both set; set one of them')
  if (key !== '') return checked(key, 'VITRINE_KEY')
  if (file !== '')
    return checked(
      prefixingErrors('VITRINE_KEY_FILE: ', () => readSecretFile(file)),
      `VITRINE_KEY_FILE: ${file}`,
    )
  const piped = stdin && !process.stdin.isTTY ? await readText(process.stdin) : ''
  if (piped.trim() !== '') return checked(piped, 'stdin')
  throw new UserError(`no key: set VITRINE_KEY, or VITRINE_KEY_FILE to a file with it${stdin ? ', or pipe it in' : ''}`)
}

export function rejectKeyAsArgument(option: string | undefined, words: readonly string[]): void {
  if (option !== undefined || words.some(holdsKey))
    throw new UsageError(
      'a key must not be an argument: every user of this machine can see it, and the shell saves it in its history; ' +
        'put it into VITRINE_KEY or into the file in VITRINE_KEY_FILE, and revoke the one you typed',
    )
}

function checked(text: string, origin: string): string {
  const key = text.trim()
  if (isToken(key)) return key
  const format = 'vtr_ and 49 letters and digits'
  throw new UserError(`${origin}: is not a Vitrine key, which is ${format}; check that all of it was copied`)
}
