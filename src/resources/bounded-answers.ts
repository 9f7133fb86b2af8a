import type { Occupancy } from '../lib/occupancy.ts'

/** What a question is known by: an object of its own, or a text that names it in full. */
export type Question = object | string

/** What is kept for each answer beside the answer itself: its entry, its places in two maps, the head of a text. */
const ENTRY_BYTES = 400

/** The runtime takes two bytes for each character of a text that is not Latin-1. */
const weightOf = (question: Question): number => (typeof question === 'string' ? question.length * 2 : 0)

/** Of the memory: for answers to questions that nobody asked again, and the most that one answer may take. */
const NEW_SHARE = 1 / 4

/** So many times an answer is spared that was asked for as often; one that was popular once does not stay for ever. */
const MAX_USES = 3

class Entry<Answer> {
  readonly workspaceId: string
  readonly question: Question
  answer: Answer
  weight: number
  /** How often it was asked for again, less how often it was spared. */
  uses = 0
  queue: Queue<Answer> | undefined
  next: Entry<Answer> | undefined

  constructor(workspaceId: string, question: Question, answer: Answer, weight: number) {
    this.workspaceId = workspaceId
    this.question = question
    this.answer = answer
    this.weight = weight
  }

  countUse(): void {
    if (this.uses < MAX_USES) this.uses++
  }

  replace(answer: Answer, weight: number): void {
    if (this.queue !== undefined) this.queue.bytes += weight - this.weight
    this.answer = answer
    this.weight = weight
  }
}

/** First in, first out. */
class Queue<Answer> {
  bytes = 0
  #first: Entry<Answer> | undefined
  #last: Entry<Answer> | undefined

  add(entry: Entry<Answer>): void {
    entry.queue = this
    entry.next = undefined
    if (this.#last === undefined) this.#first = entry
    else this.#last.next = entry
    this.#last = entry
    this.bytes += entry.weight
  }

  take(): Entry<Answer> | undefined {
    const entry = this.#first
    if (entry === undefined) return undefined
    this.#first = entry.next
    if (this.#first === undefined) this.#last = undefined
    this.bytes -= entry.weight
    return entry
  }
}

/**
 * Answers of workspaces, within a bound of memory. Those to questions that nobody asked again wait in a queue of their own
 * and go first: however many different questions somebody asks, they push out no answer that was asked for twice. Among
 * the others a second chance (CLOCK) decides: a hit then only counts, where an LRU would move an entry.
 */
export class BoundedAnswers<Answer extends { weight: number }> {
  readonly #maxBytes: number
  readonly #workspaces = new Map<string, Map<Question, Entry<Answer>>>()
  readonly #new = new Queue<Answer>()
  readonly #askedAgain = new Queue<Answer>()

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get bytes(): Occupancy {
    return { current: this.#new.bytes + this.#askedAgain.bytes, limit: this.#maxBytes }
  }

  /** Every request comes here: two look-ups, and no text is built. Whoever answers with it counts the use. */
  find(workspaceId: string, question: Question): Pick<Entry<Answer>, 'answer' | 'countUse'> | undefined {
    return this.#workspaces.get(workspaceId)?.get(question)
  }

  keep(workspaceId: string, question: Question, answer: Answer): void {
    const weight = answer.weight + weightOf(question) + ENTRY_BYTES
    if (weight > this.#maxBytes * NEW_SHARE) return
    const answers = this.#workspaces.get(workspaceId) ?? new Map<Question, Entry<Answer>>()
    this.#workspaces.set(workspaceId, answers)
    const known = answers.get(question)
    if (known === undefined) {
      const entry = new Entry(workspaceId, question, answer, weight)
      answers.set(question, entry)
      this.#new.add(entry)
    } else {
      known.countUse()
      known.replace(answer, weight)
    }
    this.#evict()
  }

  #evict(): void {
    while (this.#new.bytes + this.#askedAgain.bytes > this.#maxBytes) {
      const isNewTurn = this.#new.bytes > this.#maxBytes * NEW_SHARE || this.#askedAgain.bytes === 0
      const entry = (isNewTurn ? this.#new : this.#askedAgain).take()
      if (entry === undefined) return
      if (entry.uses > 0) {
        entry.uses--
        this.#askedAgain.add(entry)
      } else this.#forget(entry)
    }
  }

  #forget({ workspaceId, question }: Entry<Answer>): void {
    const answers = this.#workspaces.get(workspaceId)
    answers?.delete(question)
    if (answers?.size === 0) this.#workspaces.delete(workspaceId)
  }
}
