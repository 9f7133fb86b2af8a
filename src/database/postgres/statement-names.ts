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
