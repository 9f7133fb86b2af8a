import { KeyChangeError } from '../../../keys/change-error.ts'
import type { KeyDetail } from '../../../keys/detail.ts'
import { endOf, hasEnded } from '../../../keys/state.ts'
import { type Html, html, type Part, quoted } from '../../../lib/html.ts'
import { createSecret } from '../../../lib/secret.ts'
import type { WorkspaceHandler } from '../../context.ts'
import { type Chrome, heading, page } from '../../layout/page.ts'
import { momentTime, relativeTime } from '../../layout/time.ts'
import { paths } from '../../paths.ts'
import { htmlResponse, PageError } from '../../responses.ts'
import { readKey } from '../change.ts'
import { workingSuccessor } from '../key/advice.ts'
import { neverUsedOffer } from './replace.ts'

/** A handler that responses a change which the key's state does not allow with what is true of the key, and the ways on. */
export const explainingRefusals =
  (handler: WorkspaceHandler): WorkspaceHandler =>
  async (context) => {
    try {
      return await handler(context)
    } catch (error) {
      if (!(error instanceof KeyChangeError)) throw error
      if (error.reason !== 'ended' && error.reason !== 'rotated') throw changedMeanwhile()
      const key = await readKey(context)
      return htmlResponse(409, refusedChangePage({ chrome: context.chrome, key, once: createSecret() }))
    }
  }

const changedMeanwhile = () =>
  new PageError(409, 'This key was changed meanwhile', 'Nothing was changed now. Open the key again to see how it is.')

/** Why a key cannot be changed as asked, and the ways on: it ended or was rotated before, perhaps in another tab. */
export interface RefusedChangeModel {
  chrome: Chrome
  key: KeyDetail
  /** The idempotency token of the form that replaces its successor. */
  once: string
}

export function refusedChangePage({ chrome, key, once }: RefusedChangeModel): string {
  const { slug } = chrome.workspace
  const successor = workingSuccessor(key)
  const { fate, lead, ways } = hasEnded(key) ? ended(key, chrome) : rotated(key, chrome)
  const tookOver =
    successor !== undefined &&
    html` ${quoted(successor.label)} (<code>${successor.prefix}…</code>), created ${relativeTime(successor.createdAt, chrome)}, took over from it.`
  const body = html`${heading({ title: html`${quoted(key.label)} ${fate}`, lead: html`${lead}${tookOver} Nothing was changed now.`, back: { href: paths.keys(slug), text: 'API keys' } })}
<p class="buttons onward">${ways}<a class="button" href="${paths.key(slug, key.id)}">See what it did</a><a class="button" href="${paths.keys(slug)}">Back to the keys</a></p>
${successor !== undefined && neverUsedOffer({ chrome, key: successor, once })}`
  return page(chrome, { title: `${key.label} ${fate}`, section: 'keys', body })
}

interface Explanation {
  /** After the key's label. */
  fate: string
  lead: Html
  ways: Part
}

function ended(key: KeyDetail, chrome: Chrome): Explanation {
  const { slug } = chrome.workspace
  const successor = workingSuccessor(key)
  const since = key.state.kind === 'revoked' ? key.state.at : endOf(key)
  return {
    fate: key.state.kind === 'revoked' ? 'was revoked already' : 'has expired',
    lead: html`It no longer works${since !== null && html`, since ${momentTime(since, chrome)}`}.`,
    ways:
      successor === undefined
        ? html`<a class="button primary" href="${paths.newKey(slug)}">Create a new key</a>`
        : html`<a class="button primary" href="${paths.key(slug, successor.id)}">See the new key</a>`,
  }
}

function rotated(key: KeyDetail, chrome: Chrome): Explanation {
  const { slug } = chrome.workspace
  const successor = workingSuccessor(key)
  const until = endOf(key)
  const works = key.state.kind === 'paused' ? 'It is paused, and can be resumed' : 'It still works'
  return {
    fate: 'was rotated already',
    lead: html`${works}${until !== null && html` until ${momentTime(until, chrome)}`}.`,
    ways: html`<a class="button primary" href="${paths.cancelRotation(slug, key.id)}">Cancel the rotation</a>${successor !== undefined && html`<a class="button" href="${paths.rotate(slug, successor.id)}">Rotate the new key</a>`}`,
  }
}
