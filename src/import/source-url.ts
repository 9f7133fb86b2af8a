import { redactTokens } from '../lib/redact.ts'
import { InvalidValueError } from '../lib/user-error.ts'
import { clipped } from './sources.ts'

export function parseSourceUrl(location: string): URL | undefined {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(location)?.[1]?.toLowerCase()
  if (scheme === undefined) return undefined
  if (scheme !== 'http' && scheme !== 'https')
    throw new InvalidValueError(
      `cannot fetch ${scheme}:// URLs, only http:// and https://; download the file and use its path`,
    )
  const url = URL.parse(location)
  if (url === null) throw new InvalidValueError(`is not a URL: it should look like ${scheme}://example.com/export.json`)
  if (url.username !== '' || url.password !== '')
    throw new InvalidValueError(
      'the URL must not contain a user name or password, which other users of this machine can see; put a token into ' +
        "SYNC_TOKEN_FILE, or 'Authorization: Basic …' into SYNC_HEADER_FILE",
    )
  return url
}

/** The query often contains a secret, and the path may too. */
export function shownUrl({ origin, pathname }: URL): string {
  return clipped(redactTokens(`${origin}${pathname}`))
}
