import { validateHeaderName, validateHeaderValue } from './node-http.ts'

/** Alternating names and values as complete lines, validated once for many responses, as Node does for each. */
export function headerLines(headers: readonly string[]): string {
  let lines = ''
  for (const [name, value] of pairsOf(headers)) {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    lines += `${name}: ${value}\r\n`
  }
  return lines
}

export const pairsOf = (headers: readonly string[]) =>
  headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] ?? ''] as const] : []))
