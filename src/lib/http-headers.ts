/** Not with a quality of 0 (RFC 9110, 12.4.2). The others are equal here, because there is only one alternative. */
const lists = (header: string, value: string): boolean =>
  header.split(',').some((item) => {
    const [name, ...parameters] = item.split(';').map((part) => part.trim().toLowerCase())
    return name === value && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })

/** Only browsers ask for HTML. Programs accept anything. */
export const acceptsHtml = (accept = ''): boolean => lists(accept, 'text/html')

export const acceptsGzip = (acceptEncoding = ''): boolean => lists(acceptEncoding, 'gzip')

/** RFC 9110, 13.1.2, with weak comparison. */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return true
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag)
}

/** From a list in which names and values alternate. */
export const pairsOf = (headers: readonly string[]) =>
  headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] ?? ''] as const] : []))
