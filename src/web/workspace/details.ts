import { hash } from 'node:crypto'
import { clip } from '../../lib/plain-text.ts'
import { redactTokens } from '../../lib/redact.ts'
import { InvalidValueError } from '../../lib/user-error.ts'
import type { WorkspaceRecord } from '../../resources/workspace/records.ts'
import { checkedUpdate, type WorkspaceUpdate } from '../../resources/workspace/workspaces.ts'

/** What can be changed on the page, as it is in the fields: empty where there is no default. */
export type DetailField = 'name' | 'timezone' | 'currency' | 'country'
export type DetailValues = Record<DetailField, string>

export const valuesOf = (workspace: WorkspaceRecord): DetailValues => ({
  name: workspace.name,
  timezone: workspace.timezone ?? '',
  currency: workspace.currencyCode ?? '',
  country: workspace.countryCode ?? '',
})

/** Sent back by the form, so that it does not silently undo what somebody else changed while it was open. */
export const versionOf = (workspace: WorkspaceRecord): string =>
  hash('sha256', JSON.stringify(Object.values(valuesOf(workspace))), 'base64url').slice(0, 16)

/** Enough to recognise a value; what somebody pasted by mistake may be long. */
const MAX_ECHOED = 300

interface SentDetails {
  /** To fill the form with again. */
  values: DetailValues
  update: WorkspaceUpdate
  errors: Partial<Record<DetailField, string>>
}

export function readDetails(form: URLSearchParams): SentDetails {
  const sent = (field: DetailField) => (form.get(field) ?? '').trim()
  const update: WorkspaceUpdate = {
    name: sent('name'),
    timezone: sent('timezone') || null,
    currency: sent('currency') || null,
    country: sent('country') || null,
  }
  const errors: SentDetails['errors'] = {}
  for (const [field, value] of Object.entries(update) as [DetailField, string | null][])
    try {
      checkedUpdate({ [field]: value })
    } catch (error) {
      if (!(error instanceof InvalidValueError)) throw error
      errors[field] = errorText(error)
    }
  const echoed = (field: DetailField) => clip(redactTokens(sent(field)), MAX_ECHOED)
  const values = {
    name: echoed('name'),
    timezone: echoed('timezone'),
    currency: echoed('currency'),
    country: echoed('country'),
  }
  return { values, update, errors }
}

/** As a sentence, without a key that was pasted into the wrong field. */
export function errorText({ message }: InvalidValueError): string {
  const text = clip(redactTokens(message), MAX_ECHOED)
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
