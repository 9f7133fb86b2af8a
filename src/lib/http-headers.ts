/**
 * The quality that a header such as Accept or Accept-Encoding gives a value (RFC 9110, 12.4.2): 0 to 1, or undefined if it does not
 * name the value. A malformed quality counts as 0.
 */
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

/** Whether a person's browser asks. Programs accept anything, but do not name HTML. */
export const acceptsHtml = (accept: string | undefined): boolean => (qualityOf(accept, 'text/html') ?? 0) > 0

/** The best of the offered content codings, the first of equals; undefined if the client had rather have none. */
export function acceptedCoding<Coding extends string>(
  acceptEncoding: string | undefined,
  offered: readonly Coding[],
): Coding | undefined {
  let best: Coding | undefined
  // Without a word about it, the client takes the plain bytes too, but does not ask for them.
  let bestQuality = qualityOf(acceptEncoding, 'identity') ?? 0
  for (const coding of offered) {
    const quality = qualityOf(acceptEncoding, coding) ?? qualityOf(acceptEncoding, '*') ?? 0
    const isBetter = best === undefined ? quality > 0 && quality >= bestQuality : quality > bestQuality
    if (isBetter) [best, bestQuality] = [coding, quality]
  }
  return best
}

/** RFC 9110, 13.1.2: whether If-None-Match names the entity tag, by weak comparison. */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return true
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag)
}
