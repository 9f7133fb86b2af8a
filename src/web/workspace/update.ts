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
import { instantOf, requireManager, type WorkspaceContext, within } from '../context.ts'
import { readForm } from '../form.ts'
import { paths } from '../paths.ts'
import { PageError, redirect } from '../responses.ts'
import { workspaceResponse } from './workspace.ts'

export async function updateWorkspace(context: WorkspaceContext): Promise<HttpResponse> {
  requireManager(context.workspace)
  const form = await readForm(context, context.chrome.csrf)
  const version = form.get('version') ?? ''
  const sent = readDetails(form)
  const again = (status: number, errors: typeof sent.errors) =>
    workspaceResponse(context, status, { values: sent.values, version, errors })
  if (Object.keys(sent.errors).length > 0) return again(422, sent.errors)
  try {
    const conflict = await save(context, sent.update, version)
    if (conflict === undefined) return redirect(paths.workspace(context.workspace.slug, 'saved'))
    // Sent again, it replaces what is shown now.
    return workspaceResponse(context, 409, {
      values: sent.values,
      version: versionOf(conflict),
      conflict: valuesOf(conflict),
    })
  } catch (error) {
    // Of a name that the runtime knows, only the database can say that it does not.
    if (error instanceof InvalidValueError) return again(422, { timezone: errorText(error) })
    throw error
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
    requireManager(await currentMembership(tx, session, workspace.workspaceId))
    const current = await workspaceOrThrow(tx, workspace.slug)
    if ((await otherWriters(tx, [], current.id)).length > 0) throw writtenElsewhere()
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

const writtenElsewhere = () =>
  new PageError(403, 'Another program writes this workspace', 'Change its name and its defaults there.')

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

export interface SentDetails {
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
