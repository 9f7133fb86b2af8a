import type { IncidentKind } from '../../database/store.ts'

/** How the first request with a new key fared. */
export type FirstOutcome =
  | { kind: 'answered'; at: string; from: string | null }
  | { kind: 'refused'; why: IncidentKind; at: string; from: string | null }

/** The sentence that the page of a new key shows. */
export function outcomeText(outcome: FirstOutcome): string {
  const from = outcome.from === null ? '' : ` from ${outcome.from}`
  if (outcome.kind === 'answered') return `It works: the first request${from} was answered.`
  if (outcome.why === 'unknown')
    return `A request${from} came with a damaged copy of this key: there is no such key. Copy it again.`
  return `A request${from} was refused: ${reasons[outcome.why]}`
}

const reasons: Record<Exclude<IncidentKind, 'unknown'>, string> = {
  forbidden: 'this key is not permitted to read what it asked for.',
  over_quota: 'the key is over its rate limit. It works again when the limit resets.',
  revoked: 'the key has been revoked.',
  expired: 'the key has expired.',
  paused: 'the key is paused.',
  url: 'the key was in the URL. Send it in the Authorization header, and rotate this one: URLs end up in logs.',
  browser: 'it came from a web page, where anyone can read the key. Use it on a server, and rotate this one.',
}
