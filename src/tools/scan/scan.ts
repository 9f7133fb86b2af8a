import { basename, dirname, resolve } from 'node:path'
import { Budget } from '../../lib/archives/limits.ts'
import type { GitRepository } from '../../lib/git.ts'
import { UserError } from '../../lib/user-error.ts'
import { scanStream } from './content.ts'
import { FileScanner } from './files.ts'
import { Findings } from './findings.ts'
import { firstOccurrences, type Occurrence, stagedChanges } from './git-history.ts'
import { scanAllObjects, scanNamedObjects } from './git-objects.ts'

/** Files, folders with everything below them, the history of the repositories among them; `-` is stdin. */
export async function scanPaths(
  paths: readonly string[],
  stdin: AsyncIterable<Buffer>,
  onPhase: (name: string) => void = () => {},
): Promise<Findings> {
  const findings = new Findings()
  const files = new FileScanner(findings, async (folder) => {
    onPhase(`reading the history in ${folder}`)
    await scanRepository(findings, folder)
  })
  for (const path of paths) {
    onPhase(`reading ${path === '-' ? 'stdin' : path}`)
    if (path !== '-') await files.scan(path)
    else {
      findings.files++
      await scanStream(findings, { file: '(stdin)' }, stdin, new Budget())
    }
  }
  return findings
}

/** What is staged in the repository of a folder. */
export async function scanStaged(folder: string): Promise<Findings> {
  const findings = new Findings()
  const objects = new Findings()
  const repository = { workingFolder: folder }
  const changes = await stagedChanges(repository)
  await scanNamedObjects(objects, repository, [...changes.keys()])
  findings.takeOver(objects, ({ revision = '' }) => ({ revision: 'staged', file: changes.get(revision) ?? revision }))
  return findings
}

async function scanRepository(findings: Findings, gitFolder: string): Promise<void> {
  const name = basename(gitFolder) === '.git' ? dirname(gitFolder) : gitFolder
  const repository: GitRepository = { gitFolder: resolve(gitFolder) }
  const objects = new Findings()
  let occurrences = new Map<string, Occurrence>()
  try {
    await scanAllObjects(objects, repository)
    const ids = new Set(objects.sources().flatMap(({ revision, file }) => (file === 'blob' ? (revision ?? []) : [])))
    if (ids.size > 0) occurrences = await firstOccurrences(repository, ids)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    findings.notRead({ file: gitFolder }, `the objects of this repository were not all read: ${error.message}`)
  }
  findings.takeOver(objects, ({ revision = '', file: type }) => {
    const { path, commit } = occurrences.get(revision) ?? { path: names[type] ?? `(${type})`, commit: revision }
    return { repository: name, revision: commit ?? 'staged', file: path }
  })
}

const names: Record<string, string> = { blob: '(a file of no commit)', commit: '(commit message)' }
