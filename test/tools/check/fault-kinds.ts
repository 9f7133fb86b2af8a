/** What the faults of proxies are composed of. */
import { gzipSync } from 'node:zlib'
import type { Answered, Fault } from './faulty-proxy.ts'

export const page = (status: number): Answered => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: Buffer.from(`<html><h1>${status}</h1><hr>nginx</html>`),
})

export const withoutHeaders = (names: RegExp): Pick<Fault, 'respond'> => ({
  respond({ headers }) {
    for (const name of Object.keys(headers)) if (names.test(name)) delete headers[name]
  },
})

export const withoutRequestHeaders = (names: RegExp): Pick<Fault, 'request'> => ({
  request({ headers }) {
    for (const name of Object.keys(headers)) if (names.test(name)) delete headers[name]
    return undefined
  },
})

export const withPath = (rewrite: (path: string) => string): Pick<Fault, 'request'> => ({
  request(request) {
    request.path = rewrite(request.path)
    return undefined
  },
})

export const withHeaders = (added: Record<string, string | string[]>): Pick<Fault, 'respond'> => ({
  respond: ({ headers }) => void Object.assign(headers, added),
})

export const withEtag = (etagOf: (path: string) => string): Pick<Fault, 'respond'> => ({
  respond: ({ headers }, { path }) =>
    void (headers.etag !== undefined && Object.assign(headers, { etag: etagOf(path) })),
})

export const withLength = (path: string, error: number): Pick<Fault, 'lengthError'> => ({
  lengthError: (sent) => (sent.path === path ? error : 0),
})

export function compress(response: Answered): void {
  if (response.body.length === 0) return
  response.body = gzipSync(response.body)
  response.headers['content-encoding'] = 'gzip'
}

export const accepts = (headers: Record<string, string>) => /gzip/.test(headers['accept-encoding'] ?? '')

/** Caches GET responses under `nameOf`, whatever their Cache-Control. */
export function cache(nameOf: (path: string, headers: Record<string, string>) => string, age?: string): Fault {
  const kept = new Map<string, Answered>()
  return {
    request({ method, path, headers }) {
      const found = method === 'GET' ? kept.get(nameOf(path, headers)) : undefined
      return found && { ...found, headers: { ...found.headers, ...(age !== undefined && { age }) } }
    },
    respond(response, { method, path, headers }) {
      if (method === 'GET' && response.status === 200) kept.set(nameOf(path, headers), structuredClone(response))
    },
  }
}
