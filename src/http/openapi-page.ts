import { ServedFile } from '../lib/served-file.ts'
import type { Page } from '../operation.ts'

/** The document at its path. It is written when it is first asked for: most servers never are. */
export function openApiPage(document: () => object): Page {
  let file: ServedFile | undefined
  return {
    kind: 'page',
    matches: (path) => path === '/openapi.json',
    respond(request) {
      file ??= new ServedFile('application/json', JSON.stringify(document()))
      // A client asks each time, and is told in a few bytes that nothing has changed.
      return file.respond(request, ['Cache-Control', 'no-cache'])
    },
  }
}
