import { UserError } from '../../lib/user-error.ts'
import { ByteReader } from './byte-reader.ts'
import { scanStream, scanWhole } from './content.ts'
import type { Findings } from './findings.ts'
import { type GitProcess, type GitRepository, linesOf, startGit } from './git.ts'
import { type Budget, sizeText } from './limits.ts'

const NEWLINE = 0x0a
const MAX_HEADER_BYTES = 200

/**
 * Every object that the repository has, each once, in the order in which git can read them fastest: the files and the messages of all commits, of branches,
 * of tags, of stashes, of what is staged, and of what no branch has any more but is still there. They are listed with their sizes
 * first: git would hold one that is too large in memory.
 */
export function scanAllObjects(findings: Findings, repository: GitRepository, budget: Budget): Promise<void> {
  const { objectBytes } = budget.limits
  const args = ['cat-file', '--batch-all-objects', '--unordered', '--buffer', '--batch-check']
  const listed = startGit(repository, args, budget.gitMs)
  const ids = async function* () {
    for await (const lines of linesOf(listed)) {
      const read = lines.map((line) => {
        const [revision = '', file = '', size] = line.split(' ')
        if (Number(size) <= objectBytes) return `${revision}\n`
        if (size === undefined) findings.notRead({ revision, file: 'object' }, 'is damaged')
        else findings.notRead({ revision, file }, `is larger than ${sizeText(objectBytes)}`)
        return ''
      })
      yield read.join('')
    }
  }
  return scanObjects(findings, startGit(repository, ['cat-file', '--batch', '--buffer'], budget.gitMs, ids()), budget)
}

export function scanNamedObjects(
  findings: Findings,
  repository: GitRepository,
  ids: readonly string[],
  budget: Budget,
): Promise<void> {
  const lines = ids.map((id) => `${id}\n`)
  return scanObjects(findings, startGit(repository, ['cat-file', '--batch', '--buffer'], budget.gitMs, lines), budget)
}

/** Of an object's source, `revision` is its id and `file` its type. */
async function scanObjects(findings: Findings, { stop, stdout, ended }: GitProcess, budget: Budget): Promise<void> {
  const reader = new ByteReader(stdout)
  try {
    for (;;) {
      const header = await reader.readUntil(NEWLINE, MAX_HEADER_BYTES)
      if (header === undefined) break
      const [revision = '', file = '', size] = header.toString('latin1').split(' ')
      if (size === undefined) throw new UserError(`git: the object ${revision} is ${file}`)
      findings.objects++
      const source = { revision, file }
      const whole = reader.readHeld(Number(size))
      if (whole !== undefined) scanWhole(findings, source, whole, budget)
      else await scanStream(findings, source, reader.stream(Number(size)), budget)
      await reader.read(1)
    }
    await ended
  } finally {
    stop()
  }
}
