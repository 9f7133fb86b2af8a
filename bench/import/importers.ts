import { join } from 'node:path'
import { PROGRAM } from '../harness/vitrine.ts'
import { measureCommand } from './measure-command.ts'
import { type Importer, SLUG } from './trials.ts'

const vitrine = (database: string, ...args: string[]) =>
  measureCommand(PROGRAM, args, { DATABASE_URL: `sqlite:${database}` })

export const taskImport: Importer = {
  name: '`vitrine task import`',
  run: (database, file) => vitrine(database, 'task', 'import', '--workspace', SLUG, file),
}

export const taskSync: Importer = {
  name: '`vitrine task sync`',
  run: (database, file) =>
    vitrine(database, 'task', 'sync', '--workspace', SLUG, '--source', 'bench', '--max-gone', '100%', file),
}

export const deleteWorkspace: Importer = {
  name: '`vitrine workspace delete`',
  run: (database) => vitrine(database, 'workspace', 'delete', SLUG, '--yes'),
}

const byHand = (...args: string[]) =>
  measureCommand(process.execPath, [join(import.meta.dirname, 'by-hand.ts'), ...args])

export const insertByHand: Importer = {
  name: 'by hand, with `node:sqlite`',
  run: (database, file) => byHand(database, file),
}

/** The way to bring in a whole snapshot. */
export const replaceByHand: Importer = {
  name: 'by hand: delete all, then insert',
  run: (database, file) => byHand(database, file, '--replace'),
}
