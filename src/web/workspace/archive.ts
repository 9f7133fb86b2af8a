import { countOpenKeys } from '../../keys/records.ts'
import { formatCount } from '../../lib/format-count.ts'
import { actorOf } from '../../members/roles.ts'
import { AlreadyArchivedError, archiveWorkspace, restoreWorkspace } from '../../workspaces/workspaces.ts'
import { changeAs, type WorkspaceContext, type WorkspaceHandler } from '../context.ts'
import { redirectWithNotice } from '../flash.ts'
import { html, inQuotes } from '../html.ts'
import { formPage, type PageFrame } from '../layout/page.ts'
import { paths } from '../paths.ts'
import { htmlResponse, redirect } from '../responses.ts'

export const showArchiveForm: WorkspaceHandler = async ({ workspace, store, frame }) => {
  const keys = await store.read((tx) => countOpenKeys(tx, workspace.workspaceId, frame.nowMs))
  return htmlResponse(200, archivePage(frame, keys))
}

export const submitArchive: WorkspaceHandler = async (context) => {
  await change(context, archiveWorkspace)
  return redirect(paths.workspace(context.workspace.slug))
}

export const submitRestore: WorkspaceHandler = async (context) => {
  await change(context, restoreWorkspace)
  return redirectWithNotice(context, paths.workspace(context.workspace.slug), 'workspace-restored')
}

/** A second click, or another owner's, is not an error. */
async function change(context: WorkspaceContext, work: typeof archiveWorkspace): Promise<void> {
  const { workspace, session } = context
  try {
    await changeAs(context, 'owner', (tx) => work(tx, workspace.slug, actorOf(session)))
  } catch (error) {
    if (!(error instanceof AlreadyArchivedError)) throw error
  }
}

/** `keys` counts those that have not ended. */
export function archivePage(frame: PageFrame, keys: number): string {
  const { name, slug } = frame.workspace
  const back = { href: paths.workspace(slug), text: 'Workspace' }
  const keyText = keys === 1 ? 'Its one key stays' : `Its ${formatCount(keys)} keys stay`
  return formPage(frame, {
    title: `Archive ${name}`,
    heading: html`Archive ${inQuotes(name)}?`,
    lead: 'Nothing is deleted, and an owner can restore it at any time.',
    back,
    action: paths.archive(slug),
    fields: html`<ul class="facts">
<li>From its keys’ next request, <code>/workspace</code> returns 404 and lists such as <code>/tasks</code> are empty. Agents’ tools do the same.</li>
${keys > 0 && html`<li>${keyText}, and can read it again once it is restored. To stop a key for good, revoke it first.</li>`}
<li>Its data, members, sources and audit log are kept. Its sources continue to sync.</li>
<li>In the browser, owners can restore it, and owners and admins can read its audit log. Everyone else sees who the owners are.</li>
</ul>`,
    button: { text: 'Archive workspace', isDestructive: true },
    cancel: { ...back, text: 'Keep it' },
  })
}
