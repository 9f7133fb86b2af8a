import type { AttentionKind } from '../../keys/evaluate.ts'
import type { AttentionGroup } from '../../keys/listing.ts'
import type { KeyOverview } from '../../keys/overview.ts'
import { endOf } from '../../keys/state.ts'
import { formatCount } from '../../lib/format-count.ts'
import { type Html, html, named, type Part } from '../../lib/html.ts'
import { type IconName, icon } from '../layout/icon.ts'
import type { PageFrame } from '../layout/page.ts'
import { type Clock, dateTime, momentTime, relativeTime, timeOfEnd } from '../layout/time.ts'
import { paths } from '../paths.ts'
import { revokeWord } from './key-parts.ts'

interface Reason {
  title: string
  icon: IconName
  tone: 'bad' | 'warn' | ''
  sentence: (key: KeyOverview, clock: Clock) => Part
  fix: (key: KeyOverview, slug: string) => { href: string; text: string }
}

const rotate = ({ id }: KeyOverview, slug: string) => ({ href: paths.key(slug, id, 'rotate'), text: 'Rotate' })
const revoke = (key: KeyOverview, slug: string) => ({ href: paths.key(slug, key.id, 'revoke'), text: revokeWord(key) })
const edit = ({ id }: KeyOverview, slug: string) => ({ href: paths.key(slug, id, 'edit'), text: 'Set an expiry' })

export const leakText = ({ warnings }: KeyOverview, clock: Clock): Html[] =>
  warnings.map(({ seen, at }) => html`Seen in a ${seen === 'url' ? 'URL' : 'browser'} on ${dateTime(at, clock)}. `)

const reasons: Record<AttentionKind, Reason> = {
  leaked: {
    title: 'May have leaked',
    icon: 'warning',
    tone: 'bad',
    sentence: leakText,
    // A rotating key already has a successor, and only needs to be revoked.
    fix: (key, slug) => (key.state.kind === 'rotating' || key.client !== null ? revoke : rotate)(key, slug),
  },
  expiring: {
    title: 'Expires soon',
    icon: 'clock',
    tone: 'warn',
    sentence: (key, clock) => html`Stops working ${timeOfEnd(endOf(key) ?? clock.now, clock)}.`,
    fix: (key, slug) => (key.client === null ? rotate : edit)(key, slug),
  },
  rotation_unfinished: {
    title: 'Rotation unfinished',
    icon: 'rotate',
    tone: 'warn',
    sentence: ({ state }, clock) => state.kind === 'rotating' && rotationText(state, clock),
    fix: ({ id }, slug) => ({ href: paths.key(slug, id), text: 'Finish' }),
  },
  unused: {
    title: 'Not used for 30 days',
    icon: 'pause',
    tone: '',
    sentence: ({ lastUsedAt, createdAt }, clock) =>
      lastUsedAt === null
        ? html`Never used since it was created on ${dateTime(createdAt, clock)}.`
        : html`Last used ${relativeTime(lastUsedAt, clock)}.`,
    fix: revoke,
  },
  never_expires: {
    title: 'Never expires',
    icon: 'key',
    tone: '',
    sentence: () => 'Works until someone revokes it.',
    fix: edit,
  },
}

function rotationText(state: Extract<KeyOverview['state'], { kind: 'rotating' }>, clock: Clock): Html {
  const until = html`until ${momentTime(state.until, clock)}`
  return state.successor.works
    ? html`The old key is still being used. It works ${until}.`
    : html`The new key has ended. The old one works ${until}.`
}

export function attentionPanel(groups: readonly AttentionGroup[], frame: PageFrame): Html {
  return html`<section class="panel attention" aria-labelledby="attention"><h2 id="attention">Needs attention</h2>${groups.map((group) => groupRow(group, frame))}</section>`
}

function groupRow({ kind, count, keys }: AttentionGroup, frame: PageFrame): Html {
  const { title, icon: name, tone } = reasons[kind]
  const all = html`<p><a class="button" href="${paths.keys(frame.workspace.slug, { show: kind })}">Show<span class="visually-hidden"> the keys: ${title}</span></a></p>`
  return html`<div class="reason ${tone}"><h3>${icon(name)}${title} <span class="count">${formatCount(count)}</span></h3>${
    keys.length === 0 ? all : html`<ul>${keys.map((key) => keyLine(kind, key, frame))}</ul>`
  }</div>`
}

const keyLine = (kind: AttentionKind, key: KeyOverview, frame: PageFrame): Html =>
  html`<li><span><a class="label" href="${paths.key(frame.workspace.slug, key.id)}">${named(key.label)}</a> <span class="faint">${reasons[kind].sentence(key, frame)}</span></span>${fixLink(kind, key, frame)}</li>`

function fixLink(kind: AttentionKind, key: KeyOverview, { workspace }: PageFrame): Html {
  const { href, text } = reasons[kind].fix(key, workspace.slug)
  return html`<a class="button" href="${href}">${text}<span class="visually-hidden"> ${named(key.label)}</span></a>`
}

export function attentionNote(kind: AttentionKind, key: KeyOverview, frame: PageFrame): Html {
  const { title, tone, sentence, fix } = reasons[kind]
  const { href, text } = fix(key, frame.workspace.slug)
  return note(tone, `${title}.`, html`${sentence(key, frame)} <a href="${href}">${text}</a>`)
}

export const note = (tone: Reason['tone'], what: Part, rest: Part): Html =>
  html`<p class="note ${tone}"><strong>${what}</strong> ${rest}</p>\n`
