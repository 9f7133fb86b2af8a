import type { PageRequest } from '../queries.ts'

/**
 * Names for prepared statements, each for one text. A named statement is parsed and planned once on each connection, which keeps
 * it as long as it lives: texts beyond the first few have no name, and are planned at every use.
 */
export class StatementNames {
  readonly #prefix: string
  readonly #atMost: number
  readonly #names = new Map<string, string>()

  constructor(prefix: string, atMost: number) {
    this.#prefix = prefix
    this.#atMost = atMost
  }

  /** To be spread into a statement. */
  named(text: string): { text: string; name?: string } {
    const known = this.#names.get(text)
    if (known !== undefined) return { text, name: known }
    if (this.#names.size >= this.#atMost) return { text }
    const name = `${this.#prefix} ${this.#names.size + 1}`
    this.#names.set(text, name)
    return { text, name }
  }
}

/** Of whole rows: one for each set of filters and each kind of range that is asked for. */
const NAMED_WHOLE = 64
/** Of some of the fields, of which there are any number. A client that asks for all of them takes no name from whole rows. */
const NAMED_WITH_FIELDS = 32

/** Names for the statements that read the pages of one list. */
export class PageStatementNames {
  readonly #whole: StatementNames
  readonly #withFields: StatementNames

  constructor(list: string) {
    this.#whole = new StatementNames(list, NAMED_WHOLE)
    this.#withFields = new StatementNames(`fields of ${list}`, NAMED_WITH_FIELDS)
  }

  named(text: string, { fields }: Pick<PageRequest, 'fields'>): ReturnType<StatementNames['named']> {
    return (fields === undefined ? this.#whole : this.#withFields).named(text)
  }
}
