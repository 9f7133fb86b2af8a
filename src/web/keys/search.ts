import { findKeyByToken } from '../../keys/records.ts'
import { holdsKey, REDACTED } from '../../lib/redact.ts'
import type { WorkspaceHandler } from '../context.ts'
import { redirectWithNotice } from '../flash.ts'
import { paths } from '../paths.ts'
import { redirect } from '../responses.ts'
import { viewOf } from './list.ts'

const WHOLE_KEY = /vtr_[0-9A-Za-z]{49}/

/** A pasted key leads to its page. No URL contains any of it. */
export const searchKeys: WorkspaceHandler = async (context, form) => {
  const { store, workspace } = context
  const { slug, workspaceId } = workspace
  const { search, show } = viewOf(form)
  const typed = form.get('q') ?? ''
  if (!holdsKey(typed)) return redirect(paths.keys(slug, { search, show }))
  const token = WHOLE_KEY.exec(typed)?.[0] ?? ''
  const key = await store.read((tx) => findKeyByToken(tx, workspaceId, token))
  return key === undefined
    ? redirectWithNotice(context, paths.keys(slug), 'no-such-key')
    : redirect(paths.key(slug, key.id))
}

/** Reached by reloading, or after signing in again. A pasted key is not remembered. */
export const showSearch: WorkspaceHandler = async (context) => {
  const { search: typed, show } = viewOf(context.draft ?? new URLSearchParams())
  const search = typed.includes(REDACTED) ? '' : typed
  return redirect(paths.keys(context.workspace.slug, { search, show }))
}
