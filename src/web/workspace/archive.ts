import type { Transaction } from '../../database/store.ts'
import { countOpenKeys } from '../../keys/records.ts'
import { formatCount } from '../../lib/format-count.ts'
import { html, quoted } from '../../lib/html.ts'
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
import { type Chrome, csrfField, heading, page } from '../layout/page.ts'
import { paths } from '../paths.ts'
import { htmlResponse, redirect } from '../responses.ts'

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

/** GET …/workspace/archive, for an owner. POST answers 303 to the workspace's page. */
export interface ArchiveModel {
  chrome: Chrome
  /** Those that have not ended. */
  keys: number
}

export function archivePage({ chrome, keys }: ArchiveModel): string {
  const { name, slug } = chrome.workspace
  const back = { href: paths.workspace(slug), text: 'Workspace' }
  const keyText = keys === 1 ? 'Its one key stays' : `Its ${formatCount(keys)} keys stay`
  const body = html`${heading({ title: html`Archive ${quoted(name)}?`, lead: 'Nothing is deleted, and an owner can restore it at any time.', back })}
<form class="form panel" method="post" action="${paths.archive(slug)}">${csrfField(chrome)}
<ul class="consequences">
<li>From its keys’ next request on, <code>/workspace</code> answers 404 and <code>/tasks</code> is empty. The tools of agents do the same.</li>
${keys > 0 && html`<li>${keyText}, and can read it again once it is restored. To stop a key for good, revoke it first.</li>`}
<li>Tasks, members, sources and the audit log are kept. Syncs of its sources go on.</li>
<li>In the browser only its owners can still do something: restore it. All others see whom to ask.</li>
</ul>
<div class="buttons"><button class="button destructive">Archive workspace</button><a class="button" href="${back.href}">Keep it</a></div></form>`
  return page(chrome, { title: `Archive ${name}`, section: 'workspace', body })
}
