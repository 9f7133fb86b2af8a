import { endOfLogDay, isLogDay, startOfLogDay } from '../../audit/days.ts'
import { type AuditFilter, auditKinds } from '../../audit/search.ts'
import type { Transaction } from '../../database/store.ts'
import { isKeyId } from '../../keys/life-cycle.ts'
import { type KeyName, keyNames, newestKeyNames } from '../../keys/records.ts'
import { foldForSearch } from '../../lib/fold-case.ts'
import { formatCount } from '../../lib/format-count.ts'
import { REDACTED } from '../../lib/redact.ts'
import type { WorkspaceContext } from '../context.ts'
import { find } from '../find.ts'
import { badAddress, fieldsIn, isValid, MAX_CHARACTERS } from '../layout/log.ts'

const names = ['key', 'kind', 'who', 'q', 'from', 'to'] as const

export type AuditField = (typeof names)[number]
type AuditErrors = Partial<Record<AuditField, string>>

/** Shown in the field and in its list. */
export const keyText = ({ label, prefix }: KeyName): string => `${label} (${prefix}…)`

/** A workspace's keys, newest first. Older keys are found by their id. */
const MAX_SEARCHED = 5000
const MATCHES_SHOWN = 10

export const sentFields = (sent: URLSearchParams) => fieldsIn(sent, names)

export async function readFilter(context: WorkspaceContext) {
  const { request, store, workspace, frame } = context
  const fields = sentFields(context.draft ?? request.query)
  const { who, q, from, to } = fields
  const kind = auditKinds.find((each) => each === fields.kind) ?? null
  if ((kind ?? '') !== fields.kind) throw badAddress()
  const errors: AuditErrors = { ...textErrors({ key: fields.key, who, q }), ...dayErrors(from, to) }
  const key =
    errors.key === undefined
      ? await store.read((tx) => findKey(tx, workspace.workspaceId, fields.key))
      : { ...NO_KEY, text: fields.key }
  if (key.error !== undefined) errors.key = key.error
  const isSearched = isValid({ errors })
  const filter: AuditFilter = {
    workspaceId: workspace.workspaceId,
    subject: key.id || null,
    kind,
    actor: who,
    search: q,
    from: isSearched && from !== '' ? startOfLogDay(from, frame.timezone) : null,
    until: isSearched && to !== '' ? endOfLogDay(to, frame.timezone) : null,
  }
  return { fields: { ...fields, key: key.id || key.text }, key, errors, filter }
}

export interface ChosenKey {
  /** Empty unless one was found. */
  id: string
  text: string
  error?: string
  /** The keys to choose from, if there are several. */
  matches: KeyName[]
}
const NO_KEY: ChosenKey = { id: '', text: '', matches: [] }

/** By its label, its prefix, or its id. After a key is purged, its entries are still found by its id. */
async function findKey(tx: Transaction, workspaceId: string, text: string): Promise<ChosenKey> {
  if (text === '') return NO_KEY
  if (isKeyId(text)) {
    const [key] = await keyNames(tx, workspaceId, [text])
    return { id: text, text: key === undefined ? text : keyText(key), matches: [] }
  }
  const all = await newestKeyNames(tx, workspaceId, MAX_SEARCHED)
  const exact = all.filter((key) => [key.label, keyText(key)].includes(text))
  const query = new URLSearchParams({ q: exact.length > 0 ? '' : text })
  const textOf = (key: KeyName) => foldForSearch(`${keyText(key)} ${key.id}`)
  const { items, total } = find(exact.length > 0 ? exact : all, textOf, query, MATCHES_SHOWN)
  const [first] = items
  if (first !== undefined && total === 1) return { id: first.id, text: keyText(first), matches: [] }
  const searched = all.length < MAX_SEARCHED ? '' : ` Only the newest ${formatCount(MAX_SEARCHED)} keys were searched.`
  const error =
    total === 0
      ? `No key has this label, prefix or id.${searched}`
      : `${formatCount(total)} keys match. Choose one below, or type more of it.`
  return { id: '', text, error, matches: items }
}

function textErrors(texts: { key: string; who: string; q: string }): AuditErrors {
  const errors: AuditErrors = {}
  for (const [name, text] of Object.entries(texts) as [keyof typeof texts, string][])
    if (text.includes(REDACTED))
      errors[name] =
        'This contains a key, or text that looks like one, so it was not searched for. Search for its label, or paste only the key into the search on the API keys page.'
    else if (text.length > MAX_CHARACTERS) errors[name] = `Use at most ${MAX_CHARACTERS} characters.`
  return errors
}

function dayErrors(from: string, to: string): AuditErrors {
  const wrong = 'Enter a valid day, such as 2026-11-15.'
  const errors: AuditErrors = {
    ...(from !== '' && !isLogDay(from) && { from: wrong }),
    ...(to !== '' && !isLogDay(to) && { to: wrong }),
  }
  if (from !== '' && to !== '' && from > to && Object.keys(errors).length === 0)
    errors.to = 'The last day is before the first. Swap them.'
  return errors
}
