import type { IsExcluded } from './excluded.ts'
import type { Findings, Source } from './findings.ts'
import type { Budget } from './limits.ts'
import { tokenFinder } from './token-finder.ts'

export interface Scan {
  findings: Findings
  budget: Budget
  isExcluded?: IsExcluded | undefined
}

export function contentSearch({ findings, budget }: Scan, source: Source) {
  const find = tokenFinder(({ token, line, column }) => findings.found(token, { ...source, line, column }))
  let isFirst = true
  return (piece: Buffer, isLast = false): void => {
    if (isFirst) noteStart(findings, piece)
    isFirst = false
    budget.take(piece.length)
    findings.bytes += piece.length
    find(piece, isLast)
  }
}

/** The magic bytes of gzip, zip, zstd, xz, bzip2, 7z and rar files. */
const COMPRESSED = ['\x1f\x8b\x08', 'PK\x03\x04', '\x28\xb5\x2f\xfd', '\xfd7zXZ\0', 'BZh', '7z\xbc\xaf', 'Rar!\x1a']

/** Compressed files are not searched, and the report counts them. */
function noteStart(findings: Findings, bytes: Buffer): void {
  const start = bytes.toString('latin1', 0, 6)
  if (COMPRESSED.some((each) => start.startsWith(each))) findings.skip('compressed file')
}
