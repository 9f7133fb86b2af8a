import type { Transaction } from '../../database/store.ts'
import { InvalidValueError, UserError } from '../../lib/user-error.ts'
import { actorOf } from '../../members/author.ts'
import { currentMembership } from '../../members/sessions.ts'
import { otherWriters } from '../../resources/workspace/other-writers.ts'
import { type WorkspaceRecord, workspaceOrThrow } from '../../resources/workspace/records.ts'
import { checkedUpdate, updateWorkspace as update, type WorkspaceUpdate } from '../../resources/workspace/workspaces.ts'
import { instantOf, requireRole, type WorkspaceContext, type WorkspaceHandler, within } from '../context.ts'
import { paths } from '../paths.ts'
import { PageError, redirect } from '../responses.ts'
import { errorText, readDetails, valuesOf, versionOf } from './details-form.ts'
import { workspaceResponse } from './workspace.ts'

export const updateWorkspace: WorkspaceHandler = async (context, form) => {
  const version = form.get('version') ?? ''
  const { values, errors, update } = readDetails(form)
  if (Object.keys(errors).length > 0) return workspaceResponse(context, 422, { values, version, errors })
  try {
    const conflict = await save(context, update, version)
    if (conflict === undefined) return redirect(paths.workspace(context.workspace.slug, 'saved'))
    // Saving again overwrites the values that are shown now.
    return workspaceResponse(context, 409, { values, version: versionOf(conflict), conflict: valuesOf(conflict) })
  } catch (error) {
    // The database may lack a timezone that the runtime knows.
    if (!(error instanceof InvalidValueError)) throw error
    return workspaceResponse(context, 422, { values, version, errors: { timezone: errorText(error) } })
  }
}

/** Returns the current workspace if it changed since the form was opened. */
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
      throw new PageError(403, 'Another program manages this workspace', 'Change its name and its defaults there.')
    const changes = Object.entries(checkedUpdate(wanted)) as [keyof WorkspaceRecord, string | null][]
    if (changes.every(([field, value]) => current[field] === value)) return undefined
    if (versionOf(current) !== version) return current
    await update(within(tx), workspace.slug, wanted, actorOf(session), instantOf(context, tx))
    return undefined
  }
  try {
    return await store.transaction(attempt)
  } catch (error) {
    // Another replica changed it between the read and the write; a second attempt sees the change.
    if (!(error instanceof UserError) || error instanceof InvalidValueError) throw error
    return store.transaction(attempt)
  }
}
