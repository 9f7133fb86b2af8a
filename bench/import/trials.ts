import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { prepareVitrine } from '../harness/vitrine.ts'
import type { Cost } from './measure-command.ts'
import { writeTaskFile } from './task-files.ts'

/** The workspace that everything is imported into. */
export const SLUG = 'bench'

export interface Importer {
  name: string
  /** The database that it begins with, if not the empty one. */
  start?: string
  /** Imports a file into the database at a path. */
  run: (database: string, file: string) => Promise<Cost>
}

/** Imports of the same tasks, each into its own copy of a database. */
export class ImportTrials {
  readonly #folder: string
  /** The database that every import begins with unless it has another: a workspace without tasks. */
  readonly start: string
  #copies = 0
  /** What the first import of each file came to. */
  readonly #references = new Map<string, string>()

  constructor(folder: string) {
    this.#folder = folder
    this.start = join(folder, 'start.db')
  }

  async prepare(): Promise<void> {
    const { runCommand } = prepareVitrine(this.#folder, `sqlite:${this.start}`)
    await runCommand('workspace', 'create', '--name', 'Bench', '--slug', SLUG)
  }

  async writeTasks(from: number, to: number, changedEvery?: number): Promise<string> {
    const name = `${from}-${to}${changedEvery === undefined ? '' : `-changed-${changedEvery}`}`
    const file = join(this.#folder, `${name}.ndjson`)
    await writeTaskFile(file, { from, to, ...(changedEvery && { changedEvery }) })
    return file
  }

  /** A database to begin with, as an importer leaves it, and what that cost. */
  async fill(importer: Importer, file: string): Promise<{ database: string; cost: Cost }> {
    const database = join(this.#folder, `${++this.#copies}.db`)
    copyFileSync(importer.start ?? this.start, database)
    return { database, cost: await importer.run(database, file) }
  }

  /** Fails if an import leaves other rows behind than the first of the same file did. */
  async run(rounds: number, importers: Importer[], file: string): Promise<Map<string, Cost[]>> {
    const results = new Map<string, Cost[]>()
    for (let round = 0; round < rounds; round++) {
      for (const { name, start = this.start, run } of importers) {
        const database = join(this.#folder, `${++this.#copies}.db`)
        copyFileSync(start, database)
        results.set(name, [...(results.get(name) ?? []), await run(database, file)])
        const reference = this.#references.get(file)
        if (reference === undefined) this.#references.set(file, database)
        else if (haveSameTasks(reference, database)) rmSync(database)
        else throw new Error(`${name} left other tasks than it should`)
      }
    }
    return results
  }
}

/** Whose rows these are, and in which order they came, is for each importer to say. A script has a table of its own. */
function haveSameTasks(path: string, otherPath: string): boolean {
  const [here, there] = [tasksIn(path), tasksIn(otherPath)]
  if (here.byHand + there.byHand > 0) return here.byHand + here.tasks.size === there.byHand + there.tasks.size
  return here.tasks.size === there.tasks.size && [...here.tasks].every(([id, task]) => there.tasks.get(id) === task)
}

function tasksIn(path: string): { tasks: Map<string, string>; byHand: number } {
  const db = new DatabaseSync(path, { readOnly: true })
  const items = db.prepare(`SELECT id, body || coalesce(rest, '') AS task FROM list_items`).all()
  const isByHand = db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'by_hand'`).get() !== undefined
  const byHand = isByHand ? Number(db.prepare('SELECT count(*) AS n FROM by_hand').get()?.n) : 0
  db.close()
  return { tasks: new Map(items.map(({ id, task }) => [String(id), String(task)])), byHand }
}
