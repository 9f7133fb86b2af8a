import { UserError } from '../../lib/user-error.ts'

/** Headers, by their names in lower case. */
export type Credentials = Readonly<Record<string, string>>

/** Vitrine sets these itself, since they control what is requested and how it is sent. */
const RESERVED_HEADERS =
  /^(host|connection|keep-alive|te|trailer|upgrade|expect|range|content-.*|transfer-encoding|accept-encoding|if-.*)$/

/** The error does not repeat the token. */
export function parseToken(text: string): string {
  if (!/^[\x21-\x7e]*$/.test(text))
    throw new Error('must be a token: visible ASCII characters on one line, without spaces')
  return text
}

/** The error does not repeat the header. */
export function parseHeader(text: string): string {
  if (text === '') return ''
  const [, name = ''] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*[\x21-\x7e](?:[\x20-\x7e\t]*)$/.exec(text) ?? []
  if (name === '') throw new Error("must be one header, such as 'X-Api-Key: value', in ASCII characters on one line")
  if (RESERVED_HEADERS.test(name.toLowerCase())) throw new Error(`must not be ${name}, which is set for each request`)
  return text
}

/** Either is empty if not set. */
export function toCredentials(token: string, header: string): Credentials {
  const [, name = '', value = ''] = /^([^:]+):[ \t]*(.*)$/.exec(header) ?? []
  if (token !== '' && name.toLowerCase() === 'authorization')
    throw new UserError('a token and an Authorization header are both set, but a request can carry only one of them')
  return {
    ...(name !== '' && { [name.toLowerCase()]: value }),
    ...(token !== '' && { authorization: `Bearer ${token}` }),
  }
}
