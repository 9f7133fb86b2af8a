import type { LeakPlace } from '../database/usage/request-recorder.ts'
import { oneLine, type Source } from '../import/sources.ts'
import { type CountedReason, refusalText } from '../keys/refusals.ts'
import { lastDateBefore, localDate, zoneNamed } from '../lib/local-dates.ts'
import { truncate } from '../lib/plain-text.ts'
import { redactName } from '../lib/redact.ts'
import type { NoticeKind } from './records.ts'

export interface NoticeEvent {
  /** Does not change when the event is detected again. */
  id: string
  kind: NoticeKind | 'test' | 'more'
  at: string
  /** One line, without keys. */
  text: string
  /** Below the workspace's settings. */
  path: string
}

export interface NoticeMessage {
  id: string
  workspace: { name: string; slug: string }
  events: readonly NoticeEvent[]
}

type NamedKey = Record<'id' | 'label' | 'prefix', string>
export type LeakedKey = NamedKey & { at: string; seen: LeakPlace; timezone: string | null }
/** A key's requests that were refused on a day, for one reason. */
export type Refusals = NamedKey & { at: string; day: string; why: CountedReason; count: number }
export type ExpiringKey = NamedKey & { expiresAt: string; timezone: string | null }
type AuditRow = { number: number } & Record<'at' | 'actor' | 'action' | 'subject' | 'detail', string>
type SourceRow = Pick<Source, 'list' | 'name' | 'failingSince' | 'attemptedAt'>

/** A name stays whole, although it may be as long as a secret. */
const singleLine = (text: string): string => oneLine(text, redactName)

function event(kind: NoticeEvent['kind'], id: string, at: string, path: string, text: string): NoticeEvent {
  return { kind, at, path, id: `${kind} ${id}`, text: truncate(singleLine(text), 300) }
}

/** Two keys may share a label. */
const nameOf = ({ label, prefix }: Record<'label' | 'prefix', string>) => `“${label}” (${prefix}…)`

const ofKey = (kind: NoticeKind, { id, at }: { id: string; at: string }, text: string, occasion: string) =>
  event(kind, `${id} ${occasion}`, at, `/keys/${id}`, text)

/** An id includes the day or instant, so that what happens again is reported again. A connection is revoked only once. */
export const noticeEvents = {
  leaked: (key: LeakedKey) => {
    const where = key.seen === 'url' ? 'in a URL' : 'from a web page'
    const text = `The key ${nameOf(key)} was sent ${where}, where others can read it. Replace it.`
    return ofKey('leaked', key, text, localDate(zoneNamed(key.timezone), Date.parse(key.at)))
  },
  reused: (key: Refusals) => {
    const text = `The connection ${nameOf(key)} was revoked: its code or refresh token was used twice, and may have been stolen. Connect again.`
    return ofKey('leaked', key, text, key.why)
  },
  quota: (key: Refusals) => ofKey('quota', key, `The key ${nameOf(key)} has used up its quota.`, key.day),
  refused: (key: Refusals) => {
    const { count, day, why } = key
    const text = `Requests with the key ${nameOf(key)} were refused ${count} times on ${day}: ${refusalText[why]}.`
    return ofKey('refused', key, text, `${day} ${why}`)
  },
  expiring: ({ id, expiresAt, timezone, ...key }: ExpiringKey, at: string) => {
    const day = lastDateBefore(zoneNamed(timezone), Date.parse(expiresAt))
    // In UTC, because another timezone for the workspace does not change the expiry.
    const occasion = `${id} ${expiresAt.slice(0, 10)}`
    return event('expiring', occasion, at, `/keys/${id}`, `The key ${nameOf(key)} expires on ${day}.`)
  },
  source: ({ list, name, failingSince, attemptedAt }: SourceRow, at: string) => {
    const since = failingSince ?? attemptedAt
    const what = failingSince === null ? 'has not been attempted' : 'has failed'
    const text = `The sync of ${list} from ${name} ${what} since ${since}. Agents read old data.`
    return event('source', `${list} ${name} ${since}`, at, '/workspace#sources', text)
  },
  audited: ({ number, at, actor, action, subject, detail }: AuditRow) => {
    const { role, from, to, client, label, only } = JSON.parse(detail) as Record<string, string>
    const limit = only === undefined ? '' : `, which sees only ${only}`
    const connected = `${actor} connected “${label}” at ${client}${limit}.`
    if (action === 'key.connected') return event('connection', `${number}`, at, `/keys/${subject}`, connected)
    const changes: Record<string, string> = {
      'member.added': `added ${subject} as ${role}`,
      'member.removed': `removed ${subject}`,
      'member.role_changed': `changed the role of ${subject} from ${from} to ${to}`,
    }
    return event('member', `${number}`, at, '/members', `${actor} ${changes[action]}.`)
  },
  test: (id: string, at: string, by: string) =>
    event('test', id, at, '/notices', `This is a test that ${by} sent. Notices arrive here.`),
  more: (at: string) => {
    const text = 'There were more events today than fit into notices. The pages show all.'
    return event('more', at.slice(0, 10), at, '/audit', text)
  },
}

const settingsUrl = (publicUrl: string, { workspace }: NoticeMessage) =>
  `${publicUrl}/settings/workspaces/${encodeURIComponent(workspace.slug)}`

export function mailOf(message: NoticeMessage, publicUrl: string, unsubscribeUrl: string | undefined) {
  const { workspace, events } = message
  const name = singleLine(workspace.name)
  const settings = settingsUrl(publicUrl, message)
  const subject = `[${name}] ${events.length === 1 ? events[0]?.text : `${events.length} notices`}`
  const lines = events.map(({ text, path }) => `${text}\n${settings}${path}\n\n`)
  const footer = `-- \nAn owner of ${name} chose to send you these notices: ${settings}/notices\nUnsubscribe without signing in: ${unsubscribeUrl}\n`
  return { subject: truncate(subject, 120), text: lines.join('') + (unsubscribeUrl === undefined ? '' : footer) }
}

const SLACK: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Does not change between attempts. Slack shows `text`, in which labels must not become links or mentions. */
export function webhookBody(message: NoticeMessage, publicUrl: string): string {
  const { id, workspace, events } = message
  const settings = settingsUrl(publicUrl, message)
  const shown = events.map(({ path, ...each }) => ({ ...each, ...(publicUrl !== '' && { url: settings + path }) }))
  const lines = shown.map(({ text, url = '' }) => `${text} ${url}`.trim())
  const text = `[${singleLine(workspace.name)}] ${lines.join('\n')}`.replace(/[&<>]/g, (mark) => SLACK[mark] ?? '')
  return JSON.stringify({ type: 'notices', timestamp: events.at(-1)?.at, data: { id, workspace, events: shown }, text })
}
