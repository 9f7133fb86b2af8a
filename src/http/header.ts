import type { IncomingMessage } from 'node:http'

/**
 * A header's value, by its name in lower case; several of one name are joined. Looked up in the list as it came: the object
 * that Node would make of all headers costs more than the one or two that a request needs.
 */
export function headerOf({ rawHeaders }: IncomingMessage, name: string): string | undefined {
  let value: string | undefined
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const candidate = rawHeaders[i] as string
    if (candidate.length !== name.length || candidate.toLowerCase() !== name) continue
    value = value === undefined ? rawHeaders[i + 1] : `${value}, ${rawHeaders[i + 1]}`
  }
  return value
}
