import { findKeyByToken, hasPrefix } from '../../keys/records.ts'
import { displayToken, TOKEN_START } from '../../lib/key-format.ts'
import { decoded, holdsKey, REDACTED } from '../../lib/redact.ts'
import type { WorkspaceHandler } from '../context.ts'
import { redirectWithNotice } from '../flash.ts'
import { paths } from '../paths.ts'
import { redirect } from '../responses.ts'
import { viewOf } from './list.ts'

/** A pasted key leads to its page. The redirect's URL contains no more of the key than pages show. */
export const searchKeys: WorkspaceHandler = async (context, form) => {
  const { store, workspace } = context
  const { slug, workspaceId } = workspace
  const { search, show } = viewOf(form)
  const pasted = pastedKey((form.get('q') ?? '').trim())
  if (pasted === undefined) return redirect(paths.keys(slug, { search, show }))
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
  const { search: typed, show } = viewOf(context.draft ?? new URLSearchParams())
  const search = typed.includes(REDACTED) ? '' : typed
  return redirect(paths.keys(context.workspace.slug, { search, show }))
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
