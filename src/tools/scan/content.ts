import { type Compression, decompressed } from '../../lib/archives/decompress.ts'
import { type ArchiveKind, KIND_BYTES, kindOf } from '../../lib/archives/kind.ts'
import { ArchiveError, type Budget, MAX_DEPTH } from '../../lib/archives/limits.ts'
import { tarEntries } from '../../lib/archives/tar.ts'
import { type RandomAccess, zipEntries } from '../../lib/archives/zip.ts'
import { ByteReader } from '../../lib/byte-reader.ts'
import type { Findings, Source } from './findings.ts'
import { TokenFinder } from './token-finder.ts'

export const finderFor = (findings: Findings, source: Source): TokenFinder =>
  new TokenFinder(({ token, line, column }) => findings.found(token, { ...source, line, column }))

/** Searches a content that came as a whole. False if it is an archive, which only `scanStream` can open. */
export function scanWhole(findings: Findings, source: Source, bytes: Buffer): boolean {
  if (kindOf(bytes) !== undefined) return false
  findings.bytes += bytes.length
  finderFor(findings, source).push(bytes, { isLast: true })
  return true
}

/** Searches a content and, if it is an archive, everything within. */
export async function scanStream(
  findings: Findings,
  source: Source,
  chunks: AsyncIterable<Buffer>,
  budget: Budget,
  depth = 0,
): Promise<void> {
  const reader = new ByteReader(chunks)
  const finder = finderFor(findings, source)
  const searched = async function* () {
    for await (const chunk of reader.stream()) {
      findings.bytes += chunk.length
      finder.push(chunk)
      yield chunk
    }
  }
  try {
    const kind = kindOf(await reader.peek(KIND_BYTES))
    if (kind !== undefined) await open(findings, source, kind, searched(), budget, depth)
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error
    findings.notRead(source, error.message)
  }
  // What comes after the end of an archive, or after its damage.
  for await (const _ of searched());
}

async function open(
  findings: Findings,
  source: Source,
  kind: ArchiveKind,
  chunks: AsyncIterable<Buffer>,
  budget: Budget,
  depth: number,
): Promise<void> {
  if (depth >= MAX_DEPTH) throw new ArchiveError(`is an archive ${depth} levels deep; unpack it and scan the folder`)
  if (kind === '7z' || kind === 'rar') throw new ArchiveError(`is a ${kind} archive, which cannot be opened here`)
  if (kind === 'zip') return inMemory(chunks, budget, (file) => scanZip(findings, source, file, budget, depth))
  if (kind !== 'tar') return scanStream(findings, source, unpacked(kind, chunks, budget), budget, depth + 1)
  for await (const { name, body } of tarEntries(new ByteReader(chunks))) {
    budget.entered()
    await scanStream(findings, within(source, name), body, budget, depth + 1)
  }
}

export async function scanZip(
  findings: Findings,
  source: Source,
  file: RandomAccess,
  budget: Budget,
  depth = 0,
): Promise<void> {
  for await (const { name, open: openEntry } of zipEntries(file)) {
    budget.entered()
    const entry = within(source, name)
    try {
      await scanStream(findings, entry, counted(openEntry(), budget), budget, depth + 1)
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error
      findings.notRead(entry, error.message)
    }
  }
}

const within = (source: Source, name: string): Source => ({ ...source, entries: [...(source.entries ?? []), name] })

const unpacked = (kind: Compression, chunks: AsyncIterable<Buffer>, budget: Budget) =>
  counted(decompressed(kind, chunks), budget)

async function* counted(chunks: AsyncIterable<Buffer>, budget: Budget): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    budget.unpacked(chunk.length)
    yield chunk
  }
}

async function inMemory(
  chunks: AsyncIterable<Buffer>,
  budget: Budget,
  use: (file: RandomAccess) => Promise<void>,
): Promise<void> {
  const held: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of chunks) {
      size += chunk.length
      budget.held(chunk.length)
      held.push(chunk)
    }
    const bytes = Buffer.concat(held.splice(0))
    await use({
      size,
      async *range(start, end) {
        yield bytes.subarray(start, end)
      },
    })
  } finally {
    budget.released(size)
  }
}
