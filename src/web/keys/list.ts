import { keyFilters, keySorts, type ListingRequest, readListing, usualSort } from '../../keys/listing.ts'
import { findKeyByToken, hasPrefix } from '../../keys/records.ts'
import { displayToken, TOKEN_START } from '../../lib/key-format.ts'
import { decoded, holdsKey, REDACTED } from '../../lib/redact.ts'
import { membersOf, type Role } from '../../members/records.ts'
import { isManager, managersAmong } from '../../members/roles.ts'
import { defaultPermissions } from '../../resources/define.ts'
import type { WorkspaceContext, WorkspaceHandler } from '../context.ts'
import { pageNumberIn, searchTextIn } from '../find.ts'
import { redirectWithNotice } from '../flash.ts'
import { html, isolated } from '../html.ts'
import { type PageFrame, page, peopleToAsk } from '../layout/page.ts'
import { paths } from '../paths.ts'
import { htmlResponse, redirect } from '../responses.ts'
import { KEYS_LEAD, keysPage } from './list-page.ts'

export const listKeys: WorkspaceHandler = async (context) => {
  if (!isManager(context.workspace)) return showManagers(context)
  const { request, store, workspace, frame, resources } = context
  const view = viewOf(request.query)
  const listing = await readListing(store, workspace.workspaceId, view, frame)
  const usualPermissions = defaultPermissions(resources)
  return htmlResponse(200, keysPage({ frame, view, listing, usualPermissions }))
}

/** Unknown values are ignored: a URL may be old, or typed by hand. */
export function viewOf(query: URLSearchParams): ListingRequest {
  const show = keyFilters.find((filter) => filter === query.get('show')) ?? 'all'
  const sort = keySorts.find((order) => order === query.get('sort')) ?? usualSort(show)
  return { search: searchTextIn(query), show, sort, page: pageNumberIn(query) }
}

export async function showManagers({ store, workspace, frame }: WorkspaceContext, status = 200) {
  const members = await store.read((tx) => membersOf(tx, workspace.workspaceId))
  return htmlResponse(status, askForKeyPage(frame, managersAmong(members)))
}

export function askForKeyPage(frame: PageFrame, managers: readonly { email: string; role: Role }[]): string {
  const body = html`<section class="panel empty" aria-labelledby="ask"><h2 id="ask">You cannot create keys in ${isolated(frame.workspace.name)}</h2>
<p>Owners and admins create, monitor and revoke keys. If you need one, ask them, and say what it is for and how long you need it:</p>
${peopleToAsk(managers)}</section>`
  return page(frame, { title: 'API keys', lead: KEYS_LEAD, body })
}

/** A pasted key leads to its page. The redirect's URL contains no more of the key than pages show. */
export const searchKeys: WorkspaceHandler = async (context, form) => {
  const { store, workspace } = context
  const { slug, workspaceId } = workspace
  const { search, show, sort } = viewOf(form)
  const pasted = pastedKey((form.get('q') ?? '').trim())
  if (pasted === undefined) return redirect(paths.keys(slug, { search, show, sort }))
  return store.read(async (tx) => {
    const key = await findKeyByToken(tx, workspaceId, pasted)
    if (key !== undefined) return redirect(paths.key(slug, key.id))
    // A damaged key may still have the prefix of an existing one.
    const start = displayToken(pasted)
    const isKnown = await hasPrefix(tx, workspaceId, start)
    return redirectWithNotice(context, paths.keys(slug, { search: isKnown ? start : '' }), 'no-such-key')
  })
}

/** Reached by reloading, or after signing in again. A pasted key is not remembered. */
export const showSearch: WorkspaceHandler = async (context) => {
  const { search: typed, show, sort } = viewOf(context.draft ?? new URLSearchParams())
  const search = typed.includes(REDACTED) ? '' : typed
  return redirect(paths.keys(context.workspace.slug, { search, show, sort }))
}

const WRAPPED_KEY = /vtr_(?:\s*[0-9A-Za-z]){49}/
const PART_OF_KEY = /vtr_[0-9A-Za-z]*/
const WITHOUT_START = /[0-9A-Za-z]{49}/

/** A terminal may have wrapped the key, or it is damaged. Undefined if nothing in the text is secret. */
function pastedKey(text: string): string | undefined {
  const wrapped = WRAPPED_KEY.exec(text)?.[0]
  if (wrapped !== undefined) return wrapped.replace(/\s/g, '')
  if (!holdsKey(text)) return undefined
  const shown = decoded(text) ?? ''
  const rest = WITHOUT_START.exec(shown)?.[0]
  return PART_OF_KEY.exec(shown)?.[0] ?? (rest === undefined ? '' : TOKEN_START + rest)
}
