import type { Transaction } from '../../../database/store.ts'
import { type KeyFilter, keyFilters } from '../../../keys/judged.ts'
import { isKeyId } from '../../../keys/life-cycle.ts'
import { type KeySort, keySorts, type ListingRequest, readListing } from '../../../keys/listing.ts'
import { findKey } from '../../../keys/records.ts'
import { html, named } from '../../../lib/html.ts'
import { redactTokens } from '../../../lib/redact.ts'
import { membersOf, type Role } from '../../../members/records.ts'
import { isManager, managersAmong } from '../../../members/roles.ts'
import type { HttpResponse } from '../../../operation.ts'
import type { WorkspaceContext } from '../../context.ts'
import { type Chrome, heading, type Notice, page, peopleToAsk } from '../../layout/page.ts'
import { htmlResponse } from '../../responses.ts'
import { permissionWords } from '../permissions.ts'
import { keysPage } from './list-page.ts'

/** As long as a label. */
const SEARCH_MAX = 100

export async function listKeys(context: WorkspaceContext): Promise<HttpResponse> {
  if (!isManager(context.workspace)) return showManagers(context)
  const { request, store, workspace, chrome, nowMs, resources } = context
  const { workspaceId } = workspace
  const view = viewOf(request.query)
  const listing = await readListing(store, workspaceId, view, { nowMs, timezone: chrome.timezone })
  const notice = await store.read((tx) => noticeOf(tx, workspaceId, request.query))
  return htmlResponse(200, keysPage({ chrome, view, listing, notice, permissions: permissionWords(resources) }))
}

/** What of the list is asked for. What is not understood is left out: an address may be old, or typed. */
export function viewOf(query: URLSearchParams): ListingRequest {
  const search = redactTokens(query.get('q') ?? '')
    .trim()
    .slice(0, SEARCH_MAX)
  const show = query.get('show') as KeyFilter
  const sort = query.get('sort') as KeySort
  const page = Number.parseInt(query.get('page') ?? '', 10)
  return {
    search,
    show: keyFilters.includes(show) ? show : 'all',
    sort: keySorts.includes(sort) ? sort : 'newest',
    page: page > 0 ? page : 1,
  }
}

/** The address names a key and what was done to it, never the text: that could be anybody's. */
async function noticeOf(tx: Transaction, workspaceId: string, query: URLSearchParams): Promise<Notice | null> {
  if (query.get('notice') === 'no-such-key')
    return {
      tone: 'bad',
      text: 'No key of this workspace is exactly what you pasted: it is damaged or cut off, or it belongs to another workspace. It was not stored or logged.',
    }
  const id = query.get('revoked') ?? ''
  const key = isKeyId(id) ? await findKey(tx, id) : undefined
  return key === undefined || key.workspaceId !== workspaceId || key.revokedAt === null
    ? null
    : { tone: 'good', text: `“${key.label}” has been revoked: it no longer works.` }
}

/** For a member, who may not see keys: whom to ask. */
export async function showManagers(
  { store, workspace, chrome }: WorkspaceContext,
  status = 200,
): Promise<HttpResponse> {
  const members = await store.read((tx) => membersOf(tx, workspace.workspaceId))
  return htmlResponse(status, askForKeyPage({ chrome, managers: managersAmong(members) }))
}

/** The address of the keys, for a member: the page exists, and here is who to ask. */
export interface AskForKeyModel {
  chrome: Chrome
  /** The owners' and admins' email addresses, owners first. */
  managers: { email: string; role: Role }[]
}

export function askForKeyPage({ chrome, managers }: AskForKeyModel): string {
  const body = html`${heading({ title: 'API keys', lead: 'Keys let scripts and AI agents read this workspace. They cannot change anything.' })}
<section class="panel empty" aria-labelledby="ask"><h2 id="ask">You cannot create keys in ${named(chrome.workspace.name)}</h2>
<p>Owners and admins create, monitor and revoke keys. If you need one, say what it is for and how long you need it, and ask:</p>
${peopleToAsk(managers)}</section>`
  return page(chrome, { title: 'API keys', section: 'keys', body })
}
