import type { Stats } from 'node:fs'

/** A file that was put in place of another has the same name, but not the same number on its disk. */
export const identityOf = (stats: Stats | undefined): string =>
  stats === undefined ? 'none' : `${stats.dev} ${stats.ino}`
