import type { KeyChangeError } from '../../../keys/change-error.ts'
import type { KeyDetail } from '../../../keys/detail.ts'
import { endOf, hasEnded } from '../../../keys/state.ts'
import { type Html, html, type Part, quoted } from '../../../lib/html.ts'
import { createSecret } from '../../../lib/secret.ts'
import type { HttpResponse } from '../../../operation.ts'
import type { WorkspaceContext } from '../../context.ts'
import { heading, type PageFrame, page } from '../../layout/page.ts'
import { momentTime, relativeTime } from '../../layout/time.ts'
import { paths } from '../../paths.ts'
import { htmlResponse, PageError } from '../../responses.ts'
import { readKey } from '../change.ts'
import { workingSuccessor } from '../key/advice.ts'
import { neverUsedOffer } from '../key-parts.ts'

/** The response to a change that the key's state does not allow, because it ended or was rotated before, perhaps in another tab. */
export async function explainRefusal(context: WorkspaceContext, { reason }: KeyChangeError): Promise<HttpResponse> {
  if (reason !== 'ended' && reason !== 'rotated')
    throw new PageError(
      409,
      'This key was changed meanwhile',
      'Nothing was changed now. Open the key again to see its state.',
    )
  return htmlResponse(409, refusedChangePage(context.frame, await readKey(context), createSecret()))
}

/** `once` is the ticket of the form that replaces the key's successor. */
export function refusedChangePage(frame: PageFrame, key: KeyDetail, once: string): string {
  const { slug } = frame.workspace
  const successor = workingSuccessor(key)
  const { fate, lead, ways } = hasEnded(key) ? ended(key, frame) : rotated(key, frame)
  const tookOver =
    successor !== undefined &&
    html` ${quoted(successor.label)} (<code>${successor.prefix}…</code>), created ${relativeTime(successor.createdAt, frame)}, took over from it.`
  const body = html`${heading({ title: html`${quoted(key.label)} ${fate}`, lead: html`${lead}${tookOver} Nothing was changed now.`, back: { href: paths.keys(slug), text: 'API keys' } })}
<p class="buttons onward">${ways}<a class="button" href="${paths.key(slug, key.id)}">See its history</a><a class="button" href="${paths.keys(slug)}">Back to the keys</a></p>
${successor !== undefined && neverUsedOffer(frame, successor, once)}`
  return page(frame, { title: `${key.label} ${fate}`, section: 'keys', body })
}

interface Explanation {
  /** After the key's label. */
  fate: string
  lead: Html
  ways: Part
}

function ended(key: KeyDetail, frame: PageFrame): Explanation {
  const { slug } = frame.workspace
  const successor = workingSuccessor(key)
  const since = key.state.kind === 'revoked' ? key.state.at : endOf(key)
  return {
    fate: key.state.kind === 'revoked' ? 'was revoked already' : 'has expired',
    lead: html`It no longer works${since !== null && html`, since ${momentTime(since, frame)}`}.`,
    ways:
      successor === undefined
        ? html`<a class="button primary" href="${paths.newKey(slug)}">Create a new key</a>`
        : html`<a class="button primary" href="${paths.key(slug, successor.id)}">See the new key</a>`,
  }
}

function rotated(key: KeyDetail, frame: PageFrame): Explanation {
  const { slug } = frame.workspace
  const successor = workingSuccessor(key)
  const until = endOf(key)
  const works = key.state.kind === 'paused' ? 'It is paused, and can be resumed' : 'It still works'
  return {
    fate: 'was rotated already',
    lead: html`${works}${until !== null && html` until ${momentTime(until, frame)}`}.`,
    ways: html`<a class="button primary" href="${paths.key(slug, key.id, 'cancel-rotation')}">Cancel the rotation</a>${successor !== undefined && html`<a class="button" href="${paths.key(slug, successor.id, 'rotate')}">Rotate the new key</a>`}`,
  }
}
