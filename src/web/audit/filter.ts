import { endOf, isLogDay, startOf } from '../../audit/days.ts'
import type { TrailFilter } from '../../audit/search.ts'
import { auditKinds } from '../../audit/trail.ts'
import { isKeyId } from '../../keys/life-cycle.ts'
import { redactTokens } from '../../lib/redact.ts'
import type { WorkspaceContext } from '../context.ts'
import { PageError } from '../responses.ts'
import { draftOf } from '../sign-in/return.ts'

const names = ['key', 'kind', 'who', 'q', 'from', 'to'] as const

/** Fields without a filter are empty. */
export type AuditFields = Record<(typeof names)[number], string>

export type AuditErrors = Partial<Record<'who' | 'q' | 'from' | 'to', string>>

export const MAX_CHARACTERS = 200

/** People paste keys into searches, so they are redacted. */
export function fieldsOf(sent: URLSearchParams): AuditFields {
  // One character over the limit shows that there was more.
  const typed = (name: string) => redactTokens(sent.get(name) ?? '').slice(0, MAX_CHARACTERS + 1)
  return Object.fromEntries(names.map((name) => [name, typed(name).trim()])) as AuditFields
}

export function readFilter(context: WorkspaceContext) {
  const { request, workspace, frame } = context
  const fields = fieldsOf(draftOf(context) ?? request.query)
  const { key, who, q, from, to } = fields
  const kind = auditKinds.find((known) => known === fields.kind) ?? null
  if ((key !== '' && !isKeyId(key)) || (kind ?? '') !== fields.kind) throw badAddress()
  const errors = { ...textErrors({ who, q }), ...dayErrors(from, to) }
  const isValid = Object.keys(errors).length === 0
  const filter: TrailFilter = {
    workspaceId: workspace.workspaceId,
    keyId: key || null,
    kind,
    actor: who,
    search: q,
    from: isValid && from !== '' ? startOf(from, frame.timezone) : null,
    until: isValid && to !== '' ? endOf(to, frame.timezone) : null,
  }
  return { fields, errors, filter }
}

function textErrors(texts: { who: string; q: string }): AuditErrors {
  const errors: AuditErrors = {}
  for (const [name, text] of Object.entries(texts) as ['who' | 'q', string][])
    if (text.includes('[redacted]'))
      errors[name] =
        'This contains a key, or text that looks like one, so it was not searched for. Search for its label, or paste only the key into the search on the API keys page.'
    else if (text.length > MAX_CHARACTERS) errors[name] = `Use at most ${MAX_CHARACTERS} characters.`
  return errors
}

function dayErrors(from: string, to: string): AuditErrors {
  const wrong = 'Enter an existing day, such as 2026-11-15.'
  const errors: AuditErrors = {
    ...(from !== '' && !isLogDay(from) && { from: wrong }),
    ...(to !== '' && !isLogDay(to) && { to: wrong }),
  }
  if (from !== '' && to !== '' && from > to && Object.keys(errors).length === 0)
    errors.to = 'The last day is before the first. Swap them.'
  return errors
}

export const badAddress = (text = 'Its filter or its position in the log is unknown. Open the audit log again.') =>
  new PageError(400, 'This address is not valid', text)
