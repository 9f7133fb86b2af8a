import type { Engine } from '../support/database.ts'
import type { Conversation } from './sent.ts'

/** A violation that is known and not fixed yet; remove the entry with the fix. */
export interface KnownFault {
  reason: string
  /** It ends the server: such conversations are not sent at all. */
  isFatal?: boolean
  /** A place where a part of a key may be found. */
  leaksTo?: 'log' | 'database'
  matches?(found: { conversation: Conversation; violation?: string | undefined; engine: Engine }): boolean
}

const tagged = ({ requests }: Conversation, tag: string) => requests.some(({ tags = [] }) => tags.includes(tag))

export const knownFaults: readonly KnownFault[] = [
  {
    reason: 'CONNECT behind a request that is not answered yet ends the process',
    isFatal: true,
    matches: ({ conversation: { requests } }) => requests.slice(1).some(({ method }) => method === 'CONNECT'),
  },
  {
    reason: 'what the parser refuses behind several requests is answered before all of them are',
    matches: ({ conversation: { requests }, violation = '' }) =>
      requests.length > 1 && /after "Connection: close"|bad_request instead|-> 400|ended before all/.test(violation),
  },
  {
    reason: 'a second Host line, or one that is no host, is accepted',
    matches: ({ conversation }) => tagged(conversation, 'host'),
  },
  {
    reason: 'an id that is written twice, once with escapes, is echoed wrong',
    matches: ({ conversation }) => tagged(conversation, 'odd id'),
  },
  {
    reason: 'a chunked body of HTTP/1.0 does not end the connection',
    matches: ({ conversation }) => tagged(conversation, 'old chunks'),
  },
  {
    reason: 'NUL and impossible dates in the addresses of the settings pages are 500s on PostgreSQL',
    matches: ({ conversation, violation, engine }) =>
      engine === 'postgres' && tagged(conversation, 'settings') && violation?.startsWith('500') === true,
  },
  { reason: 'a key in X-Forwarded-For, or encoded twice in a path, is logged', leaksTo: 'log' },
  { reason: 'a key in X-Forwarded-For or User-Agent is stored', leaksTo: 'database' },
]
