import type { Transaction } from '../../database/store.ts'
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
import { errorText, readDetails, valuesOf, versionOf } from './details.ts'
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
