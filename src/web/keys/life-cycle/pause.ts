import { KeyChangeError } from '../../../keys/change-error.ts'
import type { Keys } from '../../../keys/life-cycle.ts'
import type { KeyOverview } from '../../../keys/overview.ts'
import { html, quoted } from '../../../lib/html.ts'
import type { HttpResponse } from '../../../operation.ts'
import { requireManager, type WorkspaceContext } from '../../context.ts'
import { readForm } from '../../form.ts'
import { type Chrome, csrfField, heading, page } from '../../layout/page.ts'
import { paths } from '../../paths.ts'
import { htmlResponse, redirect } from '../../responses.ts'
import { changeKey, readWorkingKey } from '../change.ts'
import { keyFacts } from '../key-parts.ts'

export async function showPauseKeyForm(context: WorkspaceContext): Promise<HttpResponse> {
  requireManager(context.workspace)
  const key = await readWorkingKey(context)
  if (key.state.kind === 'paused') return redirect(paths.key(context.workspace.slug, key.id))
  return htmlResponse(200, pauseKeyPage({ chrome: context.chrome, key }))
}

export const pauseKey = (context: WorkspaceContext): Promise<HttpResponse> =>
  change(context, 'paused', (keys) => keys.pause(context.keyId))

export const resumeKey = (context: WorkspaceContext): Promise<HttpResponse> =>
  change(context, 'resumed', (keys) => keys.resume(context.keyId))

/** Sent twice, or from two tabs, it is done once, and both responses say so. */
async function change(
  context: WorkspaceContext,
  done: 'paused' | 'resumed',
  work: (keys: Keys) => Promise<unknown>,
): Promise<HttpResponse> {
  requireManager(context.workspace)
  await readForm(context, context.chrome.csrf)
  try {
    await changeKey(context, work)
  } catch (error) {
    const isDone = error instanceof KeyChangeError && (error.reason === 'paused' || error.reason === 'not_paused')
    if (!isDone) throw error
  }
  return redirect(`${paths.key(context.workspace.slug, context.keyId)}?done=${done}`)
}

/** GET …/keys/<id>/pause. POST answers 303 to the key's page with a notice. */
export interface PauseKeyModel {
  chrome: Chrome
  key: KeyOverview
}

export function pauseKeyPage({ chrome, key }: PauseKeyModel): string {
  const { slug } = chrome.workspace
  const back = paths.key(slug, key.id)
  const body = html`${heading({ title: html`Pause ${quoted(key.label)}?`, lead: 'Whatever uses this key is refused from its next request on, with the same answer as for a revoked key (401), until you resume it. The key itself stays as it is, and its expiry date too.', back: { href: back, text: key.label } })}
<form class="form panel" method="post" action="${paths.pause(slug, key.id)}">${csrfField(chrome)}
${keyFacts(key, chrome)}
<div class="buttons"><button class="button primary" data-pending="Pausing…">Pause key</button><a class="button" href="${back}">Keep it working</a></div></form>`
  return page(chrome, { title: `Pause ${key.label}`, section: 'keys', body })
}
