/** RFC 9110, 12.4.2. Undefined if the header does not list the value, and 0 if the quality is malformed. */
function qualityOf(header: string | undefined, value: string): number | undefined {
  for (const item of header?.split(',') ?? []) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase())
    if (name !== value) continue
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    if (quality === undefined) return 1
    return /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(quality) ? Number(quality) : 0
  }
  return undefined
}

/** Only browsers ask for HTML. Programs accept anything. */
export const acceptsHtml = (accept: string | undefined): boolean => (qualityOf(accept, 'text/html') ?? 0) > 0

/** As every browser does. Programs that do not ask for it get the plain bytes. */
export const acceptsGzip = (acceptEncoding: string | undefined): boolean =>
  (qualityOf(acceptEncoding, 'gzip') ?? qualityOf(acceptEncoding, '*') ?? 0) > 0

/** RFC 9110, 13.1.2, with weak comparison. */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return true
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag)
}

/** From a list in which names and values alternate. */
export const pairsOf = (headers: readonly string[]) =>
  headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] ?? ''] as const] : []))
