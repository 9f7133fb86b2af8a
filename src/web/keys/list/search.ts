import { findKeyByToken, hasPrefix } from '../../../keys/records.ts'
import { displayToken, TOKEN_START } from '../../../keys/token.ts'
import { decoded, holdsKey, redactTokens } from '../../../lib/redact.ts'
import type { HttpResponse } from '../../../operation.ts'
import { requireManager, type WorkspaceContext } from '../../context.ts'
import { readForm } from '../../form.ts'
import { paths } from '../../paths.ts'
import { redirect } from '../../responses.ts'
import { draftOf } from '../../sign-in/return.ts'
import { viewOf } from './list.ts'

/**
 * A pasted key leads to its page, anything else to the list. Either way the response is a redirect, and its address holds no
 * more of a key than pages show of it.
 */
export async function searchKeys(context: WorkspaceContext): Promise<HttpResponse> {
  const { workspace, chrome, store } = context
  requireManager(workspace)
  const form = await readForm(context, chrome.csrf)
  const { slug } = chrome.workspace
  const text = (form.get('q') ?? '').trim()
  const { search, show, sort } = viewOf(form)
  const pasted = pastedKey(text)
  if (pasted === undefined) return redirect(paths.keys(slug, { q: search, show, sort }))
  return store.read(async (tx) => {
    const key = await findKeyByToken(tx, workspace.workspaceId, pasted)
    if (key !== undefined) return redirect(paths.key(slug, key.id))
    // A damaged key may still begin like one that is here.
    const start = displayToken(pasted)
    const isKnown = await hasPrefix(tx, workspace.workspaceId, start)
    return redirect(paths.keys(slug, { q: isKnown ? start : '', notice: 'no-such-key' }))
  })
}

/** For whoever reloads the address of the search, or signed in again after sending it. A key that was searched for is not kept. */
export async function showSearch(context: WorkspaceContext): Promise<HttpResponse> {
  const { search: q, show, sort } = viewOf(draftOf(context) ?? new URLSearchParams())
  return redirect(paths.keys(context.chrome.workspace.slug, { q: q.includes('[redacted]') ? '' : q, show, sort }))
}

const WRAPPED_KEY = /vtr_(?:\s*[0-9A-Za-z]){49}/
const PART_OF_KEY = /vtr_[0-9A-Za-z]*/
const WITHOUT_START = /[0-9A-Za-z]{49}/

/** The key in a text, also if a terminal wrapped it; what remains of a damaged one. Undefined if nothing in it is secret. */
function pastedKey(text: string): string | undefined {
  const wrapped = WRAPPED_KEY.exec(text)?.[0]
  if (wrapped !== undefined) return wrapped.replace(/\s/g, '')
  if (!holdsKey(text) && redactTokens(text) === text) return undefined
  const shown = decoded(text) ?? ''
  const rest = WITHOUT_START.exec(shown)?.[0]
  return PART_OF_KEY.exec(shown)?.[0] ?? (rest === undefined ? '' : TOKEN_START + rest)
}
