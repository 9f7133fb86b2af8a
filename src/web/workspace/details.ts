import { hash } from 'node:crypto'
import { clip } from '../../lib/plain-text.ts'
import { redactTokens } from '../../lib/redact.ts'
import { InvalidValueError } from '../../lib/user-error.ts'
import type { WorkspaceRecord } from '../../resources/workspace/records.ts'
import { checkedUpdate, type WorkspaceUpdate } from '../../resources/workspace/workspaces.ts'

/** What can be changed on the page, as it is in the fields: empty where there is no default. */
export const detailFields = ['name', 'timezone', 'currency', 'country'] as const
export type DetailField = (typeof detailFields)[number]
export type DetailValues = Record<DetailField, string>
export type DetailErrors = Partial<Record<DetailField, string>>

export const valuesOf = (workspace: WorkspaceRecord): DetailValues => ({
  name: workspace.name,
  timezone: workspace.timezone ?? '',
  currency: workspace.currencyCode ?? '',
  country: workspace.countryCode ?? '',
})

/** Sent back by the form, so that it does not silently undo what someone else changed while it was open. */
export const versionOf = (workspace: WorkspaceRecord): string =>
  hash('sha256', JSON.stringify(Object.values(valuesOf(workspace))), 'base64url').slice(0, 16)

/** Enough to recognise a value; what was pasted by mistake may be long. */
const MAX_ECHOED = 300
const echoed = (text: string) => clip(redactTokens(text), MAX_ECHOED)

/** What a form sends, and the values to fill it with again. */
export function readDetails(form: URLSearchParams): {
  values: DetailValues
  update: WorkspaceUpdate
  errors: DetailErrors
} {
  const values: Partial<DetailValues> = {}
  const update: WorkspaceUpdate = {}
  const errors: DetailErrors = {}
  for (const field of detailFields) {
    const sent = (form.get(field) ?? '').trim()
    const change: WorkspaceUpdate = { [field]: field === 'name' ? sent : sent || null }
    Object.assign(update, change)
    values[field] = echoed(sent)
    try {
      checkedUpdate(change)
    } catch (error) {
      if (!(error instanceof InvalidValueError)) throw error
      errors[field] = errorText(error)
    }
  }
  return { values: values as DetailValues, update, errors }
}

/** As a sentence, without a key that was pasted into the wrong field. */
export function errorText({ message }: InvalidValueError): string {
  const text = echoed(message)
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
