import { hash } from 'node:crypto'
import type { Moment, ReadScope } from '../lists/query.ts'

/**
 * An etag has a checksum, the moment of its result, and a digest of the whole result, unless that has only what changed: 18 or 24 bytes,
 * so that no character of its text can be changed without changing a byte. Like a cursor, a forged one can only read its own workspace.
 */
const [CHECKSUM, REVISION, MS, DIGEST] = [4, 8, 6, 6]
export const MOMENT_BYTES = REVISION + MS

/** Changes of one list can be read with the etag of another question about it. Days mean something else in another timezone. */
export type EtagScope = readonly (string | null)[]

export const etagScope = ({ workspaceId, only }: ReadScope, tool: string, timezone: string | null): EtagScope => [
  ...[workspaceId, tool, timezone, only],
]

export function momentBytes({ revision, ms }: Moment): Buffer {
  const bytes = Buffer.alloc(MOMENT_BYTES)
  bytes.writeBigUInt64BE(BigInt(revision))
  bytes.writeUIntBE(ms, REVISION, MS)
  return bytes
}

/** Undefined if there is no such moment. */
export function momentIn(bytes: Buffer): Moment | undefined {
  if (bytes.length < MOMENT_BYTES) return undefined
  const revision = Number(bytes.readBigUInt64BE())
  return Number.isSafeInteger(revision) ? { revision, ms: bytes.readUIntBE(REVISION, MS) } : undefined
}

const digest = (bytes: Buffer | string, length: number): Buffer => hash('sha256', bytes, 'buffer').subarray(0, length)

const checksumOf = (scope: EtagScope, content: Buffer): Buffer =>
  digest(Buffer.concat([Buffer.from(JSON.stringify(scope)), content]), CHECKSUM)

/** `whole` differs if anything in the whole result does. */
export function encodeEtag(scope: EtagScope, moment: Moment, whole: string | undefined): string {
  const content = Buffer.concat([momentBytes(moment), ...(whole === undefined ? [] : [digest(whole, DIGEST)])])
  return Buffer.concat([checksumOf(scope, content), content]).toString('base64url')
}

/** Undefined for anything but an etag of this scope, as it was returned. */
export function decodeEtag(scope: EtagScope, text: string): Moment | undefined {
  const bytes = Buffer.from(text, 'base64url')
  const content = bytes.subarray(CHECKSUM)
  const isEtag = bytes.toString('base64url') === text && bytes.subarray(0, CHECKSUM).equals(checksumOf(scope, content))
  return isEtag ? momentIn(content) : undefined
}

/** Whether two etags have the same digest. */
export const isSameResult = (a: string, b: string): boolean =>
  [a, b].every(({ length }) => length === LENGTH) && a.slice(-DIGEST_LENGTH) === b.slice(-DIGEST_LENGTH)

const lengthOf = (bytes: number) => (bytes * 4) / 3
const LENGTH = lengthOf(CHECKSUM + MOMENT_BYTES + DIGEST)
const DIGEST_LENGTH = lengthOf(DIGEST)
