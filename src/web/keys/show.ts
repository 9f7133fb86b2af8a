import { readTrail } from '../../audit/trail.ts'
import { type KeyDetail, readKeyDetail } from '../../keys/detail.ts'
import { hasEnded } from '../../keys/state.ts'
import { isManager } from '../../members/roles.ts'
import type { HttpResponse } from '../../operation.ts'
import type { WorkspaceContext } from '../context.ts'
import type { Notice } from '../layout/layout.ts'
import { htmlResponse, pageNotFound } from '../responses.ts'
import { serviceUrlOf } from '../service-url.ts'
import { examplePathOf } from './created.ts'
import { showManagers } from './list.ts'
import { permissionWords } from './permission-words.ts'
import { keyPage } from './show-page.ts'

/** The whole log is one click away. */
const ENTRIES_SHOWN = 20

export async function showKey(context: WorkspaceContext): Promise<HttpResponse> {
  if (!isManager(context.workspace)) return showManagers(context, 403)
  const { request, store, workspace, chrome, config, resources, publicApi, keyId, nowMs } = context
  const { workspaceId } = workspace
  const { key, entries } = await store.read(async (tx) => ({
    key: await readKeyDetail(tx, workspaceId, keyId, { nowMs, timezone: chrome.timezone }),
    entries: await readTrail(tx, { workspaceId, keyId, kind: null, before: null, limit: ENTRIES_SHOWN }),
  }))
  if (key === undefined) throw pageNotFound()
  const quota = key.quota ?? config.quota
  const isRefused = hasEnded(key) || key.state.kind === 'paused'
  const window = isRefused ? null : await publicApi.quotaInUse(keyId, quota)
  return htmlResponse(
    200,
    keyPage({
      chrome,
      key,
      permissions: permissionWords(resources),
      quota: { quota, isCustom: key.quota !== null, window },
      entries: entries.map((entry) => ({ ...entry, label: key.label })),
      exampleUrl: serviceUrlOf(context) + examplePathOf(resources, key),
      notice: noticeOf(request.query.get('done'), key),
    }),
  )
}

/** The address says what was done, never in which words: those could be anybody's. */
function noticeOf(done: string | null, key: KeyDetail): Notice | null {
  const good = (text: string): Notice => ({ tone: 'good', text })
  if (done === 'saved' && !hasEnded(key)) return good('Your changes are saved.')
  if (done === 'paused' && key.state.kind === 'paused')
    return good('The key is paused: every request with it is refused, from the next one on.')
  if (done === 'resumed' && key.state.kind !== 'paused' && !hasEnded(key))
    return good('The key works again, from the next request on.')
  if (done === 'rotation-cancelled' && key.retiresAt === null && key.state.kind !== 'rotating' && !hasEnded(key))
    return good('The rotation is cancelled: this key goes on as before.')
  return null
}
