import type { IncidentKind } from '../../database/store.ts'
import type { KeyOutcome } from '../../keys/history.ts'

/** The sentence that the page of a new key shows. */
export function outcomeText(outcome: KeyOutcome): string {
  const from = outcome.from === null ? '' : ` from ${outcome.from}`
  if (outcome.kind === 'answered') return `It works: the first request${from} was answered.`
  if (outcome.why === 'unknown')
    return `A request${from} came with a damaged copy of this key: there is no such key. Copy it again.`
  return `A request${from} was refused: ${reasons[outcome.why]}`
}

const reasons: Record<Exclude<IncidentKind, 'unknown'>, string> = {
  forbidden: 'this key is not permitted to read what it asked for.',
  over_quota: 'the key is over its rate limit. It works again when the limit resets.',
  paused: 'the key is paused. Resume it, and it works again.',
  revoked: 'the key has been revoked.',
  expired: 'the key has expired.',
  url: 'the key was in the URL. Send it in the Authorization header, and rotate this one: URLs end up in logs.',
  browser: 'it came from a web page, where anyone can read the key. Use it on a server, and rotate this one.',
}
