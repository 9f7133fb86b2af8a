import { isTarHeader } from './tar.ts'

export type ArchiveKind = 'gzip' | 'zstd' | 'xz' | 'bzip2' | 'zip' | 'tar' | '7z' | 'rar'

/** As many bytes as tell the kind. */
export const KIND_BYTES = 512

/** By the first bytes: names say little, and an office document or a Java archive is a zip file too. */
export function kindOf(head: Buffer): ArchiveKind | undefined {
  const start = head.toString('latin1', 0, 10)
  for (const [kind, magic, at = 0] of magics) if (start.startsWith(magic, at)) return kind
  return isTarHeader(head) ? 'tar' : undefined
}

const magics: [kind: ArchiveKind, magic: string, at?: number][] = [
  ['gzip', '\x1f\x8b\x08'],
  ['zip', 'PK\x03\x04'],
  ['zip', 'PK\x05\x06'],
  ['zstd', '\x28\xb5\x2f\xfd'],
  ['xz', '\xfd7zXZ\0'],
  // After `BZh` and a digit.
  ['bzip2', '1AY&SY', 4],
  ['7z', '7z\xbc\xaf\x27\x1c'],
  ['rar', 'Rar!\x1a\x07'],
]
