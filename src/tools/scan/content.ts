import type { Findings, Source } from './findings.ts'
import type { Budget } from './limits.ts'
import { TokenFinder } from './token-finder.ts'

export const finderFor = (findings: Findings, source: Source): TokenFinder =>
  new TokenFinder(({ token, line, column }) => findings.found(token, { ...source, line, column }))

/** Searches a content that came as a whole. */
export function scanWhole(findings: Findings, source: Source, bytes: Buffer, budget: Budget): void {
  noteStart(findings, bytes)
  budget.take(bytes.length)
  findings.bytes += bytes.length
  finderFor(findings, source).push(bytes, { isLast: true })
}

export async function scanStream(
  findings: Findings,
  source: Source,
  chunks: AsyncIterable<Buffer>,
  budget: Budget,
): Promise<void> {
  const finder = finderFor(findings, source)
  let isFirst = true
  for await (const chunk of chunks) {
    if (isFirst) noteStart(findings, chunk)
    isFirst = false
    budget.take(chunk.length)
    findings.bytes += chunk.length
    finder.push(chunk)
  }
}

/** How gzip, zip, zstd, xz, bzip2, 7z and rar files begin. */
const COMPRESSED = [
  '\x1f\x8b\x08',
  'PK\x03\x04',
  '\x28\xb5\x2f\xfd',
  '\xfd7zXZ\0',
  'BZh',
  '7z\xbc\xaf\x27\x1c',
  'Rar!\x1a',
]

/** A key in a compressed file is not found, and the report says so. */
export function noteStart(findings: Findings, bytes: Buffer): void {
  const start = bytes.toString('latin1', 0, 6)
  if (COMPRESSED.some((each) => start.startsWith(each))) findings.skip('compressed file')
}
