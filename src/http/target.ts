import { ProblemError } from '../problems/problem.ts'

/** The path that a request asks for: without its query, and with percent-encoding undone. */
export function targetPath(target: string): string {
  const path = withoutQuery(target.startsWith('/') ? target : originForm(target))
  return path.includes('%') ? decode(path) : path
}

/** For the pages of people's browsers; no operation of the API reads a query. */
export function targetQuery(target: string): URLSearchParams {
  const queryAt = target.indexOf('?')
  return new URLSearchParams(queryAt === -1 ? '' : target.slice(queryAt + 1))
}

const withoutQuery = (path: string) => {
  const queryAt = path.indexOf('?')
  return queryAt === -1 ? path : path.slice(0, queryAt)
}

/** A proxy may send the whole URL. What is neither that nor a path, such as `*`, matches nothing. */
function originForm(target: string): string {
  const url = URL.parse(target)
  return url !== null && /^https?:$/.test(url.protocol) ? url.pathname : target
}

function decode(path: string): string {
  try {
    // Not decodeURIComponent: an encoded slash is not a slash.
    return decodeURI(path)
  } catch {
    throw new ProblemError('bad_request', 'The path has a percent sign that does not encode a character.')
  }
}
