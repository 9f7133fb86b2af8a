import { hash } from 'node:crypto'
import type { Transaction } from '../../database/store.ts'
import { clip } from '../../lib/plain-text.ts'
import { redactTokens } from '../../lib/redact.ts'
import { InvalidValueError, UserError } from '../../lib/user-error.ts'
import { actorOf } from '../../members/author.ts'
import { currentMembership } from '../../members/sessions.ts'
import type { HttpResponse } from '../../operation.ts'
import { otherWriters } from '../../resources/workspace/other-writers.ts'
import { type WorkspaceRecord, workspaceOrThrow } from '../../resources/workspace/records.ts'
import { checkedUpdate, updateWorkspace as update, type WorkspaceUpdate } from '../../resources/workspace/workspaces.ts'
import { instantOf, requireRole, type WorkspaceContext, within } from '../context.ts'
import { paths } from '../paths.ts'
import { PageError, redirect } from '../responses.ts'
import { workspaceResponse } from './workspace.ts'

/** What can be changed on the page, as it is in the fields: empty where there is no default. */
export const detailFields = ['name', 'timezone', 'currency', 'country'] as const
export type DetailField = (typeof detailFields)[number]
export type DetailValues = Record<DetailField, string>
export type DetailErrors = Partial<Record<DetailField, string>>

export async function updateWorkspace(context: WorkspaceContext, form: URLSearchParams): Promise<HttpResponse> {
  const version = form.get('version') ?? ''
  const { values, errors, update } = readDetails(form)
  if (Object.keys(errors).length > 0) return workspaceResponse(context, 422, { values, version, errors })
  try {
    const conflict = await save(context, update, version)
    if (conflict === undefined) return redirect(paths.workspace(context.workspace.slug, 'saved'))
    // Sent again, it replaces what is shown now.
    const shown = { values, version: versionOf(conflict), conflict: valuesOf(conflict) }
    return workspaceResponse(context, 409, shown)
  } catch (error) {
    // The database may lack a timezone that the runtime knows.
    if (!(error instanceof InvalidValueError)) throw error
    return workspaceResponse(context, 422, { values, version, errors: { timezone: errorText(error) } })
  }
}

/** The workspace as it is now, if it is not the one that the form was opened with. */
async function save(
  context: WorkspaceContext,
  wanted: WorkspaceUpdate,
  version: string,
): Promise<WorkspaceRecord | undefined> {
  const { store, session, workspace } = context
  const attempt = async (tx: Transaction) => {
    requireRole(await currentMembership(tx, session, workspace.workspaceId), 'manager')
    const current = await workspaceOrThrow(tx, workspace.slug)
    if ((await otherWriters(tx, [], current.id)).length > 0)
      throw new PageError(403, 'Another program writes this workspace', 'Change its name and its defaults there.')
    const changes = Object.entries(checkedUpdate(wanted)) as [keyof WorkspaceRecord, string | null][]
    if (changes.every(([field, value]) => current[field] === value)) return undefined
    if (versionOf(current) !== version) return current
    await update(within(tx), workspace.slug, wanted, actorOf(session), instantOf(context, tx))
    return undefined
  }
  try {
    return await store.transaction(attempt)
  } catch (error) {
    // Another replica changed it between reading and writing: now that can be read.
    if (!(error instanceof UserError) || error instanceof InvalidValueError) throw error
    return store.transaction(attempt)
  }
}

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
function errorText({ message }: InvalidValueError): string {
  const text = echoed(message)
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
