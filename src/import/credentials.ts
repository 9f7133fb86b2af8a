import { type FileHandle, open } from 'node:fs/promises'
import { UserError } from '../lib/user-error.ts'

/** Where the credentials of a source are: given themselves, or the file that holds them. Empty if not set. */
export interface CredentialSettings {
  token: string
  tokenFile: string
  header: string
  headerFile: string
}

/** The headers of a request. Values are secret. */
export type Credentials = Readonly<Record<string, string>>

/** Longer than any token in use; servers refuse headers of more than 8 or 16 KiB. */
const MAX_FILE_BYTES = 8192

/** Headers that say what is asked for, or how it is sent, are not for others to set. */
const OWN_HEADERS =
  /^(host|connection|keep-alive|te|trailer|upgrade|expect|range|content-.*|transfer-encoding|accept-encoding|if-.*)$/

/** Throws what a token must be, without repeating it. */
export function parseToken(text: string): string {
  if (!/^[\x21-\x7e]*$/.test(text))
    throw new Error('must be a token: visible ASCII characters on one line, without spaces')
  return text
}

/** Throws what a header must be, without repeating it. */
export function parseHeader(text: string): string {
  if (text === '') return ''
  const [, name = ''] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*[\x21-\x7e](?:[\x20-\x7e\t]*)$/.exec(text) ?? []
  if (name === '') throw new Error("must be one header, such as 'X-Api-Key: value', in ASCII characters on one line")
  if (OWN_HEADERS.test(name.toLowerCase())) throw new Error(`must not be ${name}, which is set for each request`)
  return text
}

/** Read for every snapshot, so that a token in a file can be replaced without a restart. */
export async function readCredentials(
  { token, tokenFile, header, headerFile }: CredentialSettings,
  onWarning: (message: string) => void,
): Promise<Credentials> {
  const fileToken = tokenFile === '' ? token : await readSecret('SYNC_TOKEN_FILE', tokenFile, parseToken, onWarning)
  const fileHeader =
    headerFile === '' ? header : await readSecret('SYNC_HEADER_FILE', headerFile, parseHeader, onWarning)
  const [, name = '', value = ''] = /^([^:]+):[ \t]*(.*)$/.exec(fileHeader) ?? []
  if (fileToken !== '' && name.toLowerCase() === 'authorization')
    throw new UserError('there is both a token and an Authorization header, and one request can carry only one of them')
  return {
    ...(name !== '' && { [name.toLowerCase()]: value }),
    ...(fileToken !== '' && { authorization: `Bearer ${fileToken}` }),
  }
}

async function readSecret(
  setting: string,
  path: string,
  parse: (text: string) => string,
  onWarning: (message: string) => void,
): Promise<string> {
  const text = (await readText(setting, path, onWarning)).trim()
  if (text === '') throw new UserError(`${setting}: ${path} is empty`)
  try {
    return parse(text)
  } catch (error) {
    throw new UserError(`${setting}: what is in ${path} ${(error as Error).message}`)
  }
}

async function readText(setting: string, path: string, onWarning: (message: string) => void): Promise<string> {
  let file: FileHandle | undefined
  try {
    file = await open(path)
    const { mode } = await file.stat()
    if (mode & 0o004)
      onWarning(`${path} holds a secret, and every user of this machine may read it; run: chmod 600 ${path}`)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_FILE_BYTES + 1))
    if (bytesRead > MAX_FILE_BYTES) throw new UserError(`${setting}: ${path} is too long for a token or a header`)
    return buffer.toString('utf8', 0, bytesRead)
  } catch (error) {
    if (error instanceof UserError) throw error
    throw new UserError(`${setting}: ${path} cannot be read (${(error as NodeJS.ErrnoException).code})`, {
      cause: error,
    })
  } finally {
    await file?.close()
  }
}
