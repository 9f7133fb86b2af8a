import type { Dirent } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { readSmallFile } from '../../lib/small-file.ts'

const GITDIR = 'gitdir: '
/** Twice what a path may have; what is longer, or a pipe, was not written by git. */
const FILE = { maxBytes: 8192, isRegular: true } as const

/** Whether these are the entries of a repository's own folder: `.git`, a bare repository, or that of a submodule. */
export function isGitFolder(entries: readonly Dirent[]): boolean {
  const has = (name: string) => entries.some((entry) => entry.name === name)
  return has('HEAD') && has('objects') && has('refs')
}

/** In a worktree and in a submodule `.git` is a file that names the folder; that of a worktree names the folder shared by all. */
export function commonGitFolder(dotGit: string): string | undefined {
  try {
    const text = readSmallFile(dotGit, FILE)
    if (!text.startsWith(GITDIR)) return undefined
    const folder = resolve(dirname(dotGit), text.slice(GITDIR.length).trimEnd())
    return resolve(folder, sharedBy(folder))
  } catch {
    return undefined
  }
}

function sharedBy(folder: string): string {
  try {
    return readSmallFile(`${folder}/commondir`, FILE).trim()
  } catch {
    return '.'
  }
}
