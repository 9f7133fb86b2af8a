import { type Dirent, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Whether these are the entries of a repository's own folder: `.git`, a bare repository, or that of a submodule. */
export function isGitFolder(entries: readonly Dirent[]): boolean {
  const has = (name: string) => entries.some((entry) => entry.name === name)
  return has('HEAD') && has('objects') && has('refs')
}

/** In a worktree and in a submodule `.git` is a file that names the folder; that of a worktree names the folder shared by all. */
export function commonGitFolder(dotGit: string): string | undefined {
  try {
    const [, named] = /^gitdir: (.+?)\s*$/.exec(readFileSync(dotGit, 'utf8')) ?? []
    if (named === undefined) return undefined
    const folder = resolve(dirname(dotGit), named)
    return resolve(folder, sharedBy(folder))
  } catch {
    return undefined
  }
}

function sharedBy(folder: string): string {
  try {
    return readFileSync(`${folder}/commondir`, 'utf8').trim()
  } catch {
    return '.'
  }
}
