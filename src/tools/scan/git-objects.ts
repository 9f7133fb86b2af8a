import { UserError } from '../../lib/user-error.ts'
import { contentSearch, type Scan } from './content.ts'
import { type GitRepository, linesOf, runGit } from './git.ts'
import { sizeText } from './limits.ts'

const NEWLINE = 0x0a

/**
 * Scans every object of the repository once, in the order in which git reads them fastest: files and messages of all commits,
 * branches, tags and stashes, staged files, and unreachable objects that still exist. Their sizes are listed first, because git
 * would load an object that is too large into memory.
 */
export function scanAllObjects(scan: Scan, repository: GitRepository): Promise<void> {
  const { findings, budget } = scan
  const { objectBytes } = budget.limits
  const args = ['cat-file', '--batch-all-objects', '--unordered', '--buffer', '--batch-check']
  const ids = async function* () {
    for await (const lines of linesOf(runGit(repository, args, budget.gitMs))) {
      const read = lines.map((line) => {
        const [revision = '', file = '', size] = line.split(' ')
        if (Number(size) <= objectBytes) return `${revision}\n`
        if (size === undefined) findings.notRead({ revision, file: 'object', isObject: true }, 'is damaged')
        else findings.notRead({ revision, file, isObject: true }, `is larger than ${sizeText(objectBytes)}`)
        return ''
      })
      yield read.join('')
    }
  }
  return scanObjects(scan, repository, ids())
}

/** A source's `revision` is the object's id, and `file` its type. */
export async function scanObjects(
  scan: Scan,
  repository: GitRepository,
  ids: AsyncIterable<string> | Iterable<string>,
): Promise<void> {
  let header = ''
  let search = contentSearch(scan, { file: '' })
  /** Includes the line break after the object. */
  let bytesLeft = 0
  for await (const chunk of runGit(repository, ['cat-file', '--batch', '--buffer'], scan.budget.gitMs, ids))
    for (let at = 0; at < chunk.length; ) {
      if (bytesLeft === 0) {
        const end = chunk.indexOf(NEWLINE, at)
        header += chunk.toString('latin1', at, end === -1 ? chunk.length : end)
        if (end === -1) break
        const [revision = '', file = '', size] = header.split(' ')
        if (size === undefined) throw new UserError(`git: the object ${revision} is ${file}`)
        scan.findings.objects++
        search = contentSearch(scan, { revision, file, isObject: true })
        header = ''
        bytesLeft = Number(size) + 1
        at = end + 1
      }
      const piece = chunk.subarray(at, at + bytesLeft)
      bytesLeft -= piece.length
      at += piece.length
      search(piece, bytesLeft === 0)
    }
}
