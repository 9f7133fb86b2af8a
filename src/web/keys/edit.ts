import { parseQuota } from '../../keys/quota.ts'
import { toInstant } from '../../lib/instant.ts'
import type { HttpResponse } from '../../operation.ts'
import { requireManager, type WorkspaceContext } from '../context.ts'
import { readForm } from '../form.ts'
import { incompleteForm } from '../once.ts'
import { paths } from '../paths.ts'
import { htmlResponse, redirect } from '../responses.ts'
import { draftOf } from '../sign-in/return.ts'
import { changeKey, keyAt, readWorkingKey } from './change.ts'
import { type EditKeyModel, editKeyPage } from './edit-page.ts'
import { changesIn, type Editable, type EditContext, merged, valuesOf } from './edit-values.ts'
import { redacted, todayIn, valuesIn } from './form-values.ts'

export async function showEditKeyForm(context: WorkspaceContext): Promise<HttpResponse> {
  requireManager(context.workspace)
  const key = await readWorkingKey(context)
  const draft = draftOf(context)
  const values = valuesOf(key, editContext(context))
  if (draft === undefined) return formResponse(context, 200, { key, values, errors: {}, changedSince: null })
  const opened = openedIn(draft)
  const kept = merged(valuesIn(draft), valuesOf(opened, editContext(context)), values)
  const changedSince = isSame(key, opened) ? null : opened
  return formResponse(context, 200, { key, values: redacted(kept), errors: {}, changedSince })
}

export async function editKey(context: WorkspaceContext): Promise<HttpResponse> {
  requireManager(context.workspace)
  const form = await readForm(context, context.chrome.csrf)
  const limits = editContext(context)
  const opened = openedIn(form)
  const openedValues = valuesOf(opened, limits)
  const values = valuesIn(form)
  const { changes, errors } = changesIn(values, openedValues, limits)
  const isFaulty = Object.keys(errors).length > 0
  const outcome = await changeKey(context, async (keys, tx) => {
    // Refuses a key that has ended. Whoever changes the same key at the same time waits here, and then sees what was done.
    await keys.update(context.keyId, {})
    const current = await keyAt(context, tx)
    if (!isSame(current, opened)) return { conflict: current }
    if (!isFaulty && Object.keys(changes).length > 0) await keys.update(context.keyId, changes)
    return undefined
  })
  if (outcome !== undefined) {
    const key = outcome.conflict
    const shown = redacted(merged(values, openedValues, valuesOf(key, limits)))
    return formResponse(context, 409, { key, values: shown, errors, changedSince: opened })
  }
  if (isFaulty) return formResponse(context, 422, { key: opened, values: redacted(values), errors, changedSince: null })
  return redirect(`${paths.key(context.workspace.slug, context.keyId)}?done=saved`)
}

function formResponse(
  { chrome, keyId, config, nowMs }: WorkspaceContext,
  status: number,
  filled: Pick<EditKeyModel, 'key' | 'values' | 'errors' | 'changedSince'>,
): HttpResponse {
  const today = todayIn({ nowMs, timezone: chrome.timezone })
  return htmlResponse(status, editKeyPage({ chrome, id: keyId, defaultQuota: config.quota, today, ...filled }))
}

const editContext = ({ chrome, nowMs, config }: WorkspaceContext): EditContext => ({
  timezone: chrome.timezone,
  nowMs,
  defaultQuota: config.quota,
})

/** What the form was opened with, as it brings it back. */
function openedIn(form: URLSearchParams): Editable {
  const [label, quotaText, expiresText] = ['openedLabel', 'openedQuota', 'openedExpiresAt'].map((name) =>
    form.get(name),
  )
  const quota = quotaText === '' ? null : parseQuota(quotaText ?? '')
  const expiresAt = expiresText === '' ? null : toInstant(expiresText ?? '')
  if (label == null || quota === undefined || expiresAt === undefined)
    throw incompleteForm('Open it again and fill it in once more.')
  return { label, quota, expiresAt }
}

const isSame = (a: Editable, b: Editable): boolean =>
  a.label === b.label &&
  a.expiresAt === b.expiresAt &&
  a.quota?.limit === b.quota?.limit &&
  a.quota?.windowSeconds === b.quota?.windowSeconds
