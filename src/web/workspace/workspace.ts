import type { Transaction } from '../../database/store.ts'
import { tablesOf } from '../../database/table.ts'
import { membersOf } from '../../members/records.ts'
import { isManager } from '../../members/roles.ts'
import type { HttpResponse } from '../../operation.ts'
import { otherWriters } from '../../resources/workspace/other-writers.ts'
import { workspaceOrThrow } from '../../resources/workspace/records.ts'
import type { WorkspaceContext } from '../context.ts'
import type { Notice } from '../layout/layout.ts'
import { htmlResponse } from '../responses.ts'
import { draftOf } from '../sign-in/return.ts'
import { readDetails, valuesOf, versionOf } from './details.ts'
import { readSources } from './sources.ts'
import { type WorkspaceModel, workspacePage } from './workspace-page.ts'

/** Named in the address, so that nobody else's text can be put on the page. */
const notices: Record<string, Notice> = {
  saved: { tone: 'good', text: 'Saved. The next request of every key sees it.' },
  restored: { tone: 'good', text: 'Restored. Its keys can read it again from their next request on.' },
}

export async function showWorkspace(context: WorkspaceContext): Promise<HttpResponse> {
  const name = context.request.query.get('notice') ?? ''
  const notice = Object.hasOwn(notices, name) ? (notices[name] ?? null) : null
  const draft = draftOf(context)
  if (draft === undefined) return workspaceResponse(context, 200, { notice })
  // As it was filled in when the session ended, with the version that it was opened with.
  const { values } = readDetails(draft)
  return workspaceResponse(context, 200, { notice, values, version: draft.get('version') ?? '' })
}

type Filled = Partial<Pick<WorkspaceModel, 'values' | 'errors' | 'conflict' | 'notice'>> & { version?: string }

/** The page as it is now, with what somebody sent if that was not accepted. */
export async function workspaceResponse(
  context: WorkspaceContext,
  status: number,
  filled: Filled,
): Promise<HttpResponse> {
  const { store, chrome, workspace } = context
  const read = await store.read((tx) => readPage(context, tx))
  const { record } = read
  const model: WorkspaceModel = {
    chrome,
    ...read,
    values: valuesOf(record),
    version: versionOf(record),
    errors: {},
    conflict: null,
    notice: null,
    mayEdit: isManager(workspace) && record.archivedAt === null && !read.writers.some(({ table }) => table === null),
    ...filled,
  }
  return htmlResponse(status, workspacePage(model))
}

async function readPage({ workspace, resources, nowMs }: WorkspaceContext, tx: Transaction) {
  const { workspaceId, slug } = workspace
  const members = await membersOf(tx, workspaceId)
  return {
    record: await workspaceOrThrow(tx, slug),
    owners: members.filter(({ role }) => role === 'owner').map(({ email }) => email),
    sources: isManager(workspace) ? await readSources(tx, workspaceId, nowMs) : null,
    writers: await otherWriters(tx, tablesOf(resources), workspaceId),
  }
}
