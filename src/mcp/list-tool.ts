import { hash } from 'node:crypto'
import type { Admission } from '../database/store.ts'
import { type MaybePromise, whenReady } from '../lib/maybe-promise.ts'
import type { BodyPart } from '../operation.ts'
import { cacheKeyOf, type ResponseCache } from '../resources/response-cache.ts'
import { type Answer, answerReader, type ListResource } from './answer.ts'
import type { NormalisedArguments } from './arguments.ts'
import { CachedResult, type ResultForm } from './cached-result.ts'
import { dateIn, endOfToday, NO_CLOCK, type WorkspaceClock, workspaceClock } from './clock.ts'
import { questionReader } from './question.ts'

type AskList = (asked: NormalisedArguments, admission: Admission) => MaybePromise<readonly BodyPart[]>

/** 72 bits avoid collisions, and keep an unchanged response with a UUID as its id under 400 bytes. */
const ETAG_LENGTH = 12

/** Answers questions about a list in the form of a protocol version. Cached answers are sent with the current time. */
export function listTool(resource: ListResource, cache: ResponseCache, form: ResultForm): AskList {
  const { tool, whenUnavailable } = resource
  const readQuestion = questionReader(resource)
  const name = `${form.version} ${tool.name}`
  const answers = answerReader(resource, form.isForModels)

  /** The important members come before the rows, in case a client cuts the text. */
  function toResult(key: string, { timezone, zone }: WorkspaceClock, now: number, answer: Answer): CachedResult {
    // The etag is the same in every process. Words such as `today` mean other tasks on another day.
    const today = dateIn(zone, now)
    const etag = hash('sha256', `${key}\n${timezone}\n${today}\n${answer.digest}`, 'base64url').slice(0, ETAG_LENGTH)
    const zoned = `,"localDate":"${today}","timezone":${JSON.stringify(timezone)}`
    return new CachedResult(form, form.head(answer.untrusted), `${zoned},"etag":"${etag}"${answer.members}`, etag)
  }

  return (asked, admission) => {
    const { ifNoneMatch, ...question } = asked
    const key = cacheKeyOf(name, question)
    const cached = cache.ask(key, admission, async (store, viewpoint) => {
      const { workspaceId, now } = viewpoint
      const clock = await workspaceClock(cache, admission)
      const { zone } = clock
      const read = readQuestion(workspaceId, question, zone, now)
      const answer =
        question.countBy === undefined
          ? await answers.page(store, viewpoint, read)
          : await answers.counts(store, viewpoint, read, question.countBy as string, zone)
      if (answer === undefined) return undefined
      // It has the local date.
      return { value: toResult(key, clock, now, answer), until: Math.min(answer.until, endOfToday(zone, now)) }
    })
    return whenReady(cached, (result) => {
      if (result === undefined && whenUnavailable === undefined) return form.unavailable
      const shown = result ?? toResult(key, NO_CLOCK, admission.now, answers.none(question.countBy !== undefined))
      return shown.parts(admission.now, ifNoneMatch)
    })
  }
}
