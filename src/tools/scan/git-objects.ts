import { Budget } from '../../lib/archives/limits.ts'
import { ByteReader } from '../../lib/byte-reader.ts'
import { type GitProcess, type GitRepository, startGit } from '../../lib/git.ts'
import { UserError } from '../../lib/user-error.ts'
import { scanStream, scanWhole } from './content.ts'
import type { Findings, Source } from './findings.ts'

const NEWLINE = 0x0a
const MAX_HEADER_BYTES = 200

/**
 * Every object that the repository has, each once, in the order in which git can read them fastest: the files and the messages of all commits, of branches,
 * of tags, of stashes, of what is staged, and of what no branch has any more but is still there.
 */
export const scanAllObjects = (findings: Findings, repository: GitRepository): Promise<void> =>
  scanObjects(findings, startGit(repository, ['cat-file', '--batch-all-objects', '--batch', '--buffer', '--unordered']))

export function scanNamedObjects(findings: Findings, repository: GitRepository, ids: readonly string[]): Promise<void> {
  const lines = async function* () {
    for (const id of ids) yield `${id}\n`
  }
  return scanObjects(findings, startGit(repository, ['cat-file', '--batch', '--buffer'], lines()))
}

/** Of an object's source, `revision` is its id and `file` its type. */
async function scanObjects(findings: Findings, { stop, stdout, ended }: GitProcess): Promise<void> {
  const reader = new ByteReader(stdout)
  try {
    for (;;) {
      const header = await reader.readUntil(NEWLINE, MAX_HEADER_BYTES)
      if (header === undefined) break
      const [revision = '', type = '', size] = header.toString('latin1').split(' ')
      if (size === undefined) throw new UserError(`git: the object ${revision} is ${type}`)
      await scanObject(findings, { revision, file: type }, reader, Number(size))
      await reader.read(1)
    }
    await ended
  } finally {
    stop()
  }
}

async function scanObject(findings: Findings, source: Source, reader: ByteReader, size: number): Promise<void> {
  findings.objects++
  const whole = reader.readHeld(size)
  if (whole === undefined) return scanStream(findings, source, reader.stream(size), new Budget())
  if (scanWhole(findings, source, whole)) return
  const chunks = async function* () {
    yield whole
  }
  await scanStream(findings, source, chunks(), new Budget())
}
