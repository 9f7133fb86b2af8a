import { formatCount } from '../../lib/format-count.ts'
import { UserError } from '../../lib/user-error.ts'
import type { Row } from '../column.ts'
import type { List } from '../definition.ts'
import { type Item, storedRow } from '../item.ts'
import type { StoredContent } from './items.ts'

/** What lists are made for: a question that looks at every row still ends in about a second. */
export const MAX_ROWS = 100_000

/** Error messages show this many ids, and count the rest. */
export const SAMPLE_SIZE = 3

/** One or two rows that lose a field are an ordinary change. */
const MIN_VANISHED = 3

/** The stored rows to compare with. A source's rows that were not staged are deleted; rows without a source stay. */
export interface SourceScope {
  workspaceId: string
  source: string | null
}

export interface RowDifference {
  created: number
  changed: number
  /** Rows that were staged for deletion, and the source's rows that were not staged. */
  gone: number
  unchanged: number
  /** Duplicate ids, with a sample. The last row wins, but keeps the position of the first. */
  repeated: { count: number; ids: string[] }
  /** Fields that most of the source's rows have, and that no staged row has. */
  vanished: readonly { field: string; rows: number }[]
  /** Rows whose id belongs to another source or to none. If there are any, nothing may be written. */
  foreign: { count: number; rows: { id: string; source: string | null }[] }
}

export interface StagedRow {
  /** In the order of the file. */
  position: number
  id: string
  /** Undefined if the record leaves it out. */
  creation: string | undefined
  isDeletion: boolean
}

/** The staged rows as far as a comparison needs them. */
interface StagedSet {
  list: List
  byId: ReadonlyMap<string, StagedRow>
  contentAt(position: number): Pick<Item, 'body' | 'rest'>
  /** Optional fields that none of them has. */
  missing: readonly string[]
}

export interface WrittenRow {
  staged: StagedRow
  seq: number
  /** The stored time of creation, if the record leaves it out. */
  keptCreation?: string | undefined
}

/** Finds what differs between staged and stored rows. */
export class RowComparison {
  readonly created: StagedRow[] = []
  readonly changed: WrittenRow[] = []
  readonly gone: string[] = []
  readonly #foreign: (StagedRow & { source: string | null })[] = []
  readonly #found = new Set<StagedRow>()
  #unchanged = 0
  #stored = 0
  #ofSource = 0
  readonly #staged: StagedSet
  readonly #source: string | null
  readonly #creation: string | undefined
  /** How many of the source's rows have a field that no staged row has. */
  readonly #missing: Map<string, number>

  constructor(staged: StagedSet, source: string | null) {
    this.#staged = staged
    this.#source = source
    this.#creation = creationOf(staged.list)
    this.#missing = new Map(source === null ? [] : staged.missing.map((name) => [name, 0]))
  }

  /** A stored row, in any order. */
  add(stored: StoredContent): void {
    this.#stored++
    const staged = this.#staged.byId.get(stored.id)
    if (stored.source === this.#source) this.#countMissing(stored)
    if (staged !== undefined) this.#found.add(staged)
    if (staged === undefined) {
      if (this.#source !== null && stored.source === this.#source) this.gone.push(stored.id)
    } else if (stored.source !== this.#source) this.#foreign.push({ ...staged, source: stored.source })
    else if (staged.isDeletion) this.gone.push(stored.id)
    else this.#addStaged(staged, stored)
  }

  #countMissing(stored: StoredContent): void {
    this.#ofSource++
    if (this.#missing.size === 0) return
    const row = storedRow(stored)
    for (const [name, rows] of this.#missing) if (isFilled(row[name])) this.#missing.set(name, rows + 1)
  }

  #addStaged(staged: StagedRow, stored: StoredContent): void {
    const { list } = this.#staged
    const content = this.#staged.contentAt(staged.position)
    const keptCreation = staged.creation === undefined ? this.#creationOf(stored) : undefined
    const { body, rest } = keptCreation === undefined ? content : createdAt(list, content, keptCreation)
    if (body === stored.body && rest === stored.rest) this.#unchanged++
    else this.changed.push({ staged, seq: stored.seq, keptCreation })
  }

  #creationOf(stored: StoredContent): string | undefined {
    const value = this.#creation === undefined ? null : JSON.parse(stored.rest ?? '{}')[this.#creation]
    return typeof value === 'string' ? value : undefined
  }

  /** After all stored rows. Throws if the list would be too long. */
  difference(repeated: RowDifference['repeated']): RowDifference {
    for (const staged of this.#staged.byId.values())
      if (!this.#found.has(staged)) {
        if (staged.isDeletion) this.#unchanged++
        else this.created.push(staged)
      }
    const rows = this.#stored + this.created.length - this.gone.length
    if (this.created.length > 0 && rows > MAX_ROWS)
      throw new UserError(
        `a workspace can have at most ${formatCount(MAX_ROWS)} ${this.#staged.list.name}, and would have ${formatCount(rows)}; nothing was changed`,
      )
    const foreign = this.#foreign.sort((a, b) => a.position - b.position)
    return {
      created: this.created.length,
      changed: this.changed.length,
      gone: this.gone.length,
      unchanged: this.#unchanged,
      repeated,
      vanished: this.changed.length === 0 ? [] : this.#vanished(),
      foreign: {
        count: foreign.length,
        rows: foreign.slice(0, SAMPLE_SIZE).map(({ id, source }) => ({ id, source })),
      },
    }
  }

  #vanished(): RowDifference['vanished'] {
    const fields = [...this.#missing].map(([field, rows]) => ({ field, rows }))
    return fields.filter(({ rows }) => rows >= MIN_VANISHED && rows > this.#ofSource / 2)
  }
}

export const creationOf = ({ fields }: List): string | undefined => fields.find(({ isCreation }) => isCreation)?.name

/** A staged row as it is stored if its record leaves out when it was created. That is not published, so nothing else follows from it. */
export const createdAt = <Staged extends Pick<Item, 'rest'>>(list: List, staged: Staged, creation: string): Staged => ({
  ...staged,
  rest: JSON.stringify({ ...JSON.parse(staged.rest ?? '{}'), [String(creationOf(list))]: creation }),
})

/** Fields that no row needs to have. A row that leaves out the time of its creation keeps it. */
export const optionalFields = ({ fields }: List): string[] =>
  fields.filter(({ isNullable, isCreation = false }) => isNullable && !isCreation).map(({ name }) => name)

/** Empty texts and lists count as none. */
export const isFilled = (value: Row[string] | undefined): boolean =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)
