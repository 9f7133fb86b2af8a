import type { KeyDetail, KeyOverview } from '../../../keys/overview.ts'
import type { WorkspaceHandler } from '../../context.ts'
import { redirectWithNotice } from '../../flash.ts'
import { html, inQuotes, isolated, type Part } from '../../html.ts'
import { noticeLine, type PageFrame } from '../../layout/page.ts'
import { momentTime } from '../../layout/time.ts'
import { paths } from '../../paths.ts'
import { htmlResponse, redirect } from '../../responses.ts'
import { changeAndShow, changeKey, readWorkingKey } from '../change.ts'
import { confirmKeyPage, revokeWord } from '../key-parts.ts'

export const showPauseKeyForm: WorkspaceHandler = async (context) => {
  const key = await readWorkingKey(context)
  if (key.state.kind === 'paused') return redirect(paths.key(context.workspace.slug, key.id))
  return htmlResponse(200, pauseKeyPage(context.frame, key))
}

const pauseKeyPage = (frame: PageFrame, key: KeyOverview): string =>
  confirmKeyPage(frame, key, {
    verb: 'Pause',
    lead:
      key.client === null
        ? 'Requests with this key are refused immediately, with the same response as for a revoked key (401), until you resume it. The key itself and its expiry date stay the same.'
        : 'Requests of this client are refused immediately, until you resume it. It stays connected, and its expiry date stays the same.',
    action: 'pause',
    button: { text: key.client === null ? 'Pause key' : 'Pause connection', pending: 'Pausing…' },
    cancel: 'Keep it working',
  })

export const pauseKey: WorkspaceHandler = (context) =>
  changeAndShow(context, 'key-paused', (keys, { id }) => keys.pause(id))

export const resumeKey: WorkspaceHandler = (context) =>
  changeAndShow(context, 'key-resumed', (keys, { id }) => keys.resume(id))

export const showRevokeKeyForm: WorkspaceHandler = async (context) =>
  htmlResponse(200, revokeKeyPage(context.frame, await readWorkingKey(context)))

type RevocableKey = Pick<KeyDetail, 'predecessor'> & KeyOverview

export const revokeKeyPage = (frame: PageFrame, key: RevocableKey): string =>
  confirmKeyPage(frame, key, {
    verb: revokeWord(key),
    lead:
      key.client === null
        ? 'Requests with this key are refused immediately. This cannot be undone.'
        : html`Requests of this client are refused immediately. This cannot be undone: to read this workspace again, ${isolated(key.label)} will have to be connected again.`,
    notices: strandedNotice(key, frame),
    action: 'revoke',
    button:
      key.client === null
        ? { text: 'Revoke key', pending: 'Revoking…', isDestructive: true }
        : { text: 'Disconnect', pending: 'Disconnecting…', isDestructive: true },
    cancel: 'Keep it',
  })

/** Revoking a successor does not stop the old key from ending. */
function strandedNotice({ predecessor }: RevocableKey, frame: PageFrame): Part {
  if (predecessor?.state.kind !== 'rotating') return null
  const cancel = html`<a href="${paths.key(frame.workspace.slug, predecessor.id, 'cancel-rotation')}">cancel that rotation</a>`
  return noticeLine(
    'warn',
    html`This key is the replacement for ${inQuotes(predecessor.label)} (<code>${predecessor.prefix}…</code>), which works only until ${momentTime(predecessor.state.until, frame)}. If the old key should keep working, ${cancel} instead: that also revokes this one.`,
  )
}

export const revokeKey: WorkspaceHandler = async (context) => {
  const { label, client } = await changeKey(context, (keys, { id }) => keys.revoke(id))
  const done = client === null ? 'key-revoked' : 'key-disconnected'
  return redirectWithNotice(context, paths.keys(context.workspace.slug), done, { about: label })
}
