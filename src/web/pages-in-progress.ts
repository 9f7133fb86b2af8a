import { setTimeout } from 'node:timers/promises'
import { StoreBusyError } from '../database/errors.ts'
import { FairShare } from '../lib/fair-share.ts'
import { createTurns } from '../lib/turns.ts'

/** Over HTTP/1.1, a browser opens six connections. */
const MAX_PER_PERSON = 8
/** People below their equal share may exceed this, up to twice the number (`FairShare`). */
const MAX_PER_WORKSPACE = 16

/** Programs that ignore Retry-After would otherwise be refused thousands of times a second. */
const REFUSAL_EVERY_MS = 10

/** One shared instance, as `storeBusy`: refusing must cost almost nothing. */
export const tooManyPages = new StoreBusyError('too many pages are in progress for this person or workspace')

/** Pages of people who are signed in: however many connections a person opens, the others of the workspace still get theirs. */
export class PagesInProgress {
  readonly #ofPeople = new Map<string, number>()
  readonly #ofWorkspaces = new Map<string, FairShare>()
  readonly #nextRefusal = createTurns(() => setTimeout(REFUSAL_EVERY_MS))

  /** Throws `tooManyPages` beyond the limits. */
  async run<T>(person: string, workspaceId: string | undefined, work: () => Promise<T>): Promise<T> {
    const release = this.#take(person, workspaceId)
    if (release === undefined) {
      await this.#nextRefusal()
      throw tooManyPages
    }
    try {
      return await work()
    } finally {
      release()
    }
  }

  #take(person: string, workspaceId: string | undefined): (() => void) | undefined {
    const held = this.#ofPeople.get(person) ?? 0
    const share = workspaceId === undefined ? undefined : this.#shareOf(workspaceId)
    if (held >= MAX_PER_PERSON || share?.isRefused(person)) return undefined
    this.#ofPeople.set(person, held + 1)
    share?.take(person, 1)
    return () => {
      const left = (this.#ofPeople.get(person) ?? 0) - 1
      if (left > 0) this.#ofPeople.set(person, left)
      else this.#ofPeople.delete(person)
      share?.release(person, 1)
      if (workspaceId !== undefined && share?.total === 0) this.#ofWorkspaces.delete(workspaceId)
    }
  }

  #shareOf(workspaceId: string): FairShare {
    const share = this.#ofWorkspaces.get(workspaceId) ?? new FairShare(MAX_PER_WORKSPACE, 1 / 2)
    this.#ofWorkspaces.set(workspaceId, share)
    return share
  }
}
