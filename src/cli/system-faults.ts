/** What the operating system says of a file, by its code, in words for the operator. */
const sentences: Record<string, string> = {
  ENOENT: 'no such file or folder',
  ENOTDIR: 'one of its folders is a file',
  EISDIR: 'is a folder, not a file',
  EACCES: 'this user may not do that there; check the permissions',
  EPERM: 'this user may not do that there; check the permissions',
  EROFS: 'lies on a disk that can only be read',
  ENOSPC: 'the disk is full; free some space and try again',
  EDQUOT: "this user's share of the disk is full; free some space and try again",
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'its links go round in circles',
  EMFILE: 'too many files are open; raise the limit (ulimit -n)',
  ENFILE: 'too many files are open on this machine',
  EIO: 'the disk failed; check it',
}

/** Undefined for anything else. */
export function systemFault(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code = '', path, dest } = error as NodeJS.ErrnoException & { dest?: string }
  const sentence = sentences[code]
  const file = dest ?? path
  return sentence === undefined || file === undefined ? undefined : `${file}: ${sentence}`
}
