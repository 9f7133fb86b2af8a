import type { Transaction } from '../../database/store.ts'
import { countOpenKeys } from '../../keys/records.ts'
import { actorOf } from '../../members/author.ts'
import { currentMembership } from '../../members/sessions.ts'
import type { HttpResponse } from '../../operation.ts'
import {
  AlreadyArchivedError,
  archiveWorkspace as archive,
  restoreWorkspace as restore,
} from '../../resources/workspace/workspaces.ts'
import { instantOf, requireOwner, type WorkspaceContext, within } from '../context.ts'
import { readForm } from '../form.ts'
import { paths } from '../paths.ts'
import { htmlResponse, redirect } from '../responses.ts'
import { archivePage } from './archive-page.ts'

export async function showArchiveForm({ workspace, store, chrome, nowMs }: WorkspaceContext): Promise<HttpResponse> {
  requireOwner(workspace)
  const keys = await store.read((tx) => countOpenKeys(tx, workspace.workspaceId, nowMs))
  return htmlResponse(200, archivePage({ chrome, keys }))
}

export async function archiveWorkspace(context: WorkspaceContext): Promise<HttpResponse> {
  await change(context, archive)
  return redirect(paths.workspace(context.workspace.slug))
}

export async function restoreWorkspace(context: WorkspaceContext): Promise<HttpResponse> {
  await change(context, restore)
  return redirect(paths.workspace(context.workspace.slug, 'restored'))
}

/** Done already, as by a second click or another owner, is as good. */
async function change(context: WorkspaceContext, work: typeof archive): Promise<void> {
  const { workspace, session, store, chrome } = context
  requireOwner(workspace)
  await readForm(context, chrome.csrf)
  try {
    await store.transaction(async (tx: Transaction) => {
      requireOwner(await currentMembership(tx, session, workspace.workspaceId))
      await work(within(tx), workspace.slug, actorOf(session), instantOf(context, tx))
    })
  } catch (error) {
    if (!(error instanceof AlreadyArchivedError)) throw error
  }
}
