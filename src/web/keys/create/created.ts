import { findFirstOutcome, type KeyOutcome } from '../../../keys/history.ts'
import type { KeyRecord } from '../../../keys/records.ts'
import type { CountedReason } from '../../../keys/refusals.ts'
import type { LocalTime } from '../../../lib/local-dates.ts'
import { examplePathOf } from '../../../resources/define.ts'
import type { WorkspaceContext, WorkspaceHandler } from '../../context.ts'
import { breakable, type Html, html, inQuotes, type Part } from '../../html.ts'
import { copyButton } from '../../layout/field.ts'
import { noticeLine, type PageFrame, page } from '../../layout/page.ts'
import { lastDay, momentTime } from '../../layout/time.ts'
import { paths, serviceUrlOf } from '../../paths.ts'
import { htmlResponse, protectedJsonResponse } from '../../responses.ts'
import { fillingText, type ShownList } from '../../workspace/sources.ts'
import { keyAt } from '../change.ts'
import { permissionNames } from '../key-parts.ts'
import { rowsText } from '../row-values.ts'
import { type SnippetFacts, snippets } from './snippets.ts'

export interface CreatedKeyModel extends SnippetFacts {
  frame: PageFrame
  key: Pick<KeyRecord, 'id' | 'label' | 'permissions' | 'expiresAt' | 'only' | 'networks'>
  /** After a rotation. `worksUntil` is null if the old key has stopped working. */
  replaced: { label: string; worksUntil: string | null } | null
  /** The lists that it may read, if none of them has a row. */
  unfilled: readonly Pick<ShownList, 'name' | 'singular'>[]
}

/** Only this response contains the key: neither reloading nor going back can show it again. */
export function createdKeyResponse(
  context: WorkspaceContext,
  { token, key }: { token: string; key: KeyRecord },
  notes: Pick<CreatedKeyModel, 'replaced' | 'unfilled'>,
) {
  const { frame, resources } = context
  const examplePath = examplePathOf(resources, key.permissions)
  const facts = { token, slug: frame.workspace.slug, serviceUrl: serviceUrlOf(context), examplePath }
  return htmlResponse(200, createdKeyPage({ frame, key, ...notes, ...facts }))
}

/** The new key's page polls this. */
export const firstUse: WorkspaceHandler = async (context) => {
  const { key, outcome } = await context.store.read(async (tx) => {
    const key = await keyAt(context, tx)
    return { key, outcome: await findFirstOutcome(tx, key) }
  })
  if (outcome === undefined) return protectedJsonResponse(200, { outcome: null })
  const isLeaked = outcome.kind === 'refused' && (outcome.why === 'url' || outcome.why === 'browser')
  const replace = isLeaked && { replace: paths.key(context.workspace.slug, key.id, 'rotate') }
  return protectedJsonResponse(200, { outcome: { ...outcome, text: outcomeText(outcome), ...replace } })
}

export function outcomeText(outcome: KeyOutcome): string {
  const from = outcome.from === null ? '' : ` from ${outcome.from}`
  if (outcome.kind === 'served') return `It works: the first request${from} got a response.`
  if (outcome.why === 'url')
    return `This key arrived in a URL${from}. URLs end up in logs and histories, so it may have leaked. Send a new one in the Authorization header.`
  if (outcome.why === 'browser')
    return `This key arrived from a web page${from}, where anyone can read it, so it may have leaked. Use a new one, on a server.`
  return `A request${from} was refused: ${reasons[outcome.why]}`
}

const reasons: Record<Exclude<CountedReason, 'browser'>, string> = {
  damaged: 'it used a damaged copy of this key. Copy it again.',
  unknown: 'it used another key, which begins like this one. Copy it again.',
  forbidden: 'this key is not permitted to read what was requested.',
  over_quota: 'the key is over its rate limit. It works again when the limit resets.',
  paused: 'the key is paused. Resume it, and it works again.',
  network: 'the key cannot be used from there. Add that network to the key, or leave its networks empty.',
  revoked: 'the key has been revoked.',
  expired: 'the key has expired.',
  reused: 'a token was used a second time, so the connection was revoked.',
}

/** The script wipes elements with `data-secret` when the person leaves. */
export function createdKeyPage(model: CreatedKeyModel): string {
  const { frame, token, key, replaced, unfilled } = model
  const { slug } = frame.workspace
  const title = replaced === null ? 'Your new key' : 'Your new key is ready'
  const lead = html`${inQuotes(key.label)} may use ${permissionNames(key.permissions)}${key.expiresAt === null ? '. It does not expire' : html` until ${lastDay(key.expiresAt, frame)}`}.${key.only !== null && ` ${rowsText(key.only)}.`}${key.networks !== null && html` It works only from ${breakable(key.networks.join(', '))}.`}`
  const body = html`${oldKeyNotice(replaced, frame)}${unfilledNotice(unfilled)}
<section class="panel part" aria-labelledby="key-title"><h2 id="key-title">Copy it now</h2>
<p class="hint" id="key-hint">This is the only time it is shown. Only its hash is stored, so no one can show it to you again.</p>
<div class="secret"><code id="key" data-key data-secret role="textbox" aria-readonly="true" aria-labelledby="key-title" aria-describedby="key-hint" tabindex="0" autofocus>${token}</code>${copyButton('key', 'Copy key', 'primary')}</div>
<p class="waiting" role="status" data-first-use="${paths.firstUse(slug, key.id)}" data-ended="${WATCH_ENDED}"><span class="dot" aria-hidden="true"></span><span><span data-text>Waiting for the first request…</span> <a href="" data-replace hidden>Replace it</a></span></p>
<noscript><p class="hint">Without JavaScript this line does not update: the list of keys shows when the key was last used.</p></noscript></section>
<section class="panel part" aria-labelledby="use-title"><h2 id="use-title">Use it</h2>
<p class="hint">Ready to paste, with the key filled in. Keep it on your machine or server: not in a web page, a URL or source control.</p>
<div class="snippets" data-tabs="Snippets">${snippetList(model)}</div></section>
<p class="buttons"><a class="button" href="${paths.key(slug, key.id)}" data-key-is-safe>Done, I have copied it</a></p>`
  return page(frame, {
    title,
    guide: ['mcp#configure-a-client', 'configuring a client'],
    lead,
    back: { href: paths.keys(slug), text: 'API keys' },
    body,
  })
}

const WATCH_ENDED =
  'You are signed out, or may no longer see this key, so this line no longer updates. The list of keys shows when the key was last used.'

const snippetList = (facts: SnippetFacts): Html[] =>
  snippets(facts).map(
    ({ id, title, where, text }) =>
      html`<details class="snippet" id="snippet-${id}" open><summary>${title}</summary><div class="snippet-body"><div class="snippet-head"><p class="hint">${where}</p>${copyButton(`code-${id}`, 'Copy')}</div>
<pre tabindex="0" role="region" aria-label="${title}"><code id="code-${id}" data-secret>${text}</code></pre></div></details>
`,
  )

const unfilledNotice = (lists: CreatedKeyModel['unfilled']): Part =>
  lists.length > 0 &&
  noticeLine(
    'warn',
    html`<strong>There is nothing to read yet.</strong> The key works, but what it may read is empty: ${lists.map(({ name }) => name).join(', ')}. ${fillingText(lists)}`,
  )

function oldKeyNotice(replaced: CreatedKeyModel['replaced'], time: LocalTime): Part {
  if (replaced === null) return null
  const fate =
    replaced.worksUntil === null
      ? 'has stopped working.'
      : html`still works until ${momentTime(replaced.worksUntil, time)}. The list of keys shows whether it is still being used.`
  return noticeLine('neutral', html`The old key of ${inQuotes(replaced.label)} ${fate}`)
}
