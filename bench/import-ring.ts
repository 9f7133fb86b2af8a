import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openOperatorStore, parseDatabaseUrl } from '../src/database/open.ts'
import { resources } from '../src/resources/index.ts'
import { createWorkspace } from '../src/resources/workspace/workspaces.ts'
import type { Cost } from './measured-run.ts'
import { type TaskFiles, writeTaskFiles } from './task-files.ts'

/** The workspace that everything is imported into. */
export const SLUG = 'bench'

export interface Contestant {
  name: string
  /** Imports a file into the database at a path. */
  take: (database: string, files: TaskFiles) => Promise<Cost>
}

/** Where contestants take turns: each gets its own copy of the same database. */
export class Ring {
  readonly #folder: string
  /** The database that every import begins with. */
  readonly start: string
  #workspaceId = ''
  #copies = 0
  /** What the first import of each file came to. */
  readonly #references = new Map<TaskFiles, string>()

  constructor(folder: string) {
    this.#folder = folder
    this.start = join(folder, 'start.db')
  }

  async prepare(): Promise<void> {
    const store = await openOperatorStore(parseDatabaseUrl(`sqlite:${this.start}`), resources, { create: true })
    const workspace = await createWorkspace(store, { name: 'Bench', slug: SLUG }, 'bench', new Date().toISOString())
    this.#workspaceId = workspace.id
    await store.close()
  }

  async tasks(from: number, to: number): Promise<TaskFiles> {
    const file = (ending: string) => join(this.#folder, `${from}-${to}.${ending}`)
    const files = { ndjson: file('ndjson'), csv: file('csv') }
    await writeTaskFiles(files, { workspaceId: this.#workspaceId, columns: columnsOf(this.start), from, to })
    return files
  }

  /** Fails if an import leaves other rows behind than the first of the same file did. */
  async rounds(rounds: number, contestants: Contestant[], files: TaskFiles): Promise<Map<string, Cost[]>> {
    const results = new Map<string, Cost[]>()
    for (let round = 0; round < rounds; round++) {
      for (const { name, take } of contestants) {
        const database = join(this.#folder, `${++this.#copies}.db`)
        copyFileSync(this.start, database)
        results.set(name, [...(results.get(name) ?? []), await take(database, files)])
        const reference = this.#references.get(files)
        if (reference === undefined) this.#references.set(files, database)
        else if (haveSameTasks(reference, database)) rmSync(database)
        else throw new Error(`${name} left other tasks than it should`)
      }
    }
    return results
  }
}

function columnsOf(path: string): string[] {
  const db = new DatabaseSync(path, { readOnly: true })
  const columns = db.prepare('PRAGMA table_info(tasks)').all()
  db.close()
  return columns.map(({ name }) => String(name))
}

function haveSameTasks(path: string, otherPath: string): boolean {
  const db = new DatabaseSync(path)
  db.prepare('ATTACH ? AS other').run(otherPath)
  const columns = columnsOf(path)
  const row = (table: string) => `(${columns.map((column) => `${table}.${column}`).join(', ')})`
  const counts = db
    .prepare(
      `SELECT (SELECT count(*) FROM main.tasks) AS here, (SELECT count(*) FROM other.tasks) AS there,
        (SELECT count(*) FROM main.tasks AS a JOIN other.tasks AS b USING (seq) WHERE ${row('a')} IS ${row('b')}) AS both`,
    )
    .get()
  db.close()
  return counts !== undefined && counts.here === counts.both && counts.there === counts.both
}
