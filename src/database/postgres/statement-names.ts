import type { PageRequest } from '../queries.ts'

/** Of whole rows: one for each set of filters and each kind of range that is asked for. */
const NAMED_WHOLE = 64
/** Of some of the fields, of which there are any number. A client that asks for all of them takes no name from whole rows. */
const NAMED_WITH_FIELDS = 32

interface Names {
  prefix: string
  atMost: number
  byText: Map<string, string>
}

/**
 * Names for the statements that read the pages of one list, each for one text. A named statement is parsed and planned once on
 * each connection, which keeps it as long as it lives: texts beyond the first few have no name, and are planned at every use.
 */
export class PageStatementNames {
  readonly #whole: Names
  readonly #withFields: Names

  constructor(list: string) {
    this.#whole = { prefix: list, atMost: NAMED_WHOLE, byText: new Map() }
    this.#withFields = { prefix: `fields of ${list}`, atMost: NAMED_WITH_FIELDS, byText: new Map() }
  }

  /** To be spread into a statement. */
  named(text: string, { fields }: Pick<PageRequest, 'fields'>): { text: string; name?: string } {
    const { prefix, atMost, byText } = fields === undefined ? this.#whole : this.#withFields
    const known = byText.get(text)
    if (known !== undefined) return { text, name: known }
    if (byText.size >= atMost) return { text }
    const name = `${prefix} ${byText.size + 1}`
    byText.set(text, name)
    return { text, name }
  }
}
