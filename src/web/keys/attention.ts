import type { AttentionKind } from '../../keys/evaluate.ts'
import type { KeyOverview } from '../../keys/overview.ts'
import type { KeyLeak } from '../../keys/records.ts'
import { endOf } from '../../keys/state.ts'
import { isoOf } from '../../lib/instant.ts'
import type { LocalTime } from '../../lib/local-dates.ts'
import { type Html, html, type Part } from '../html.ts'
import type { PageFrame } from '../layout/page.ts'
import { dateTime, momentTime, relativeTime, timeOfEnd } from '../layout/time.ts'
import { paths } from '../paths.ts'
import { revokeWord } from './key-parts.ts'

interface Reason {
  title: string
  tone: 'bad' | 'warn' | ''
  sentence: (key: KeyOverview, time: LocalTime) => Part
  fix: (key: KeyOverview, slug: string) => { href: string; text: string }
}

const rotate = ({ id }: KeyOverview, slug: string) => ({ href: paths.key(slug, id, 'rotate'), text: 'Rotate' })
const revoke = (key: KeyOverview, slug: string) => ({ href: paths.key(slug, key.id, 'revoke'), text: revokeWord(key) })
const edit = ({ id }: KeyOverview, slug: string) => ({ href: paths.key(slug, id, 'edit'), text: 'Set an expiry' })

export const leakText = ({ seen, at }: KeyLeak, time: LocalTime): Html =>
  html`Seen in a ${seen === 'url' ? 'URL' : 'browser'} on ${dateTime(at, time)}.`

const reasons: Record<AttentionKind, Reason> = {
  leaked: {
    title: 'May have leaked',
    tone: 'bad',
    sentence: ({ leak }, time) => leak && leakText(leak, time),
    // A rotating key already has a successor, and only needs to be revoked.
    fix: (key, slug) => (key.state.kind === 'rotating' || key.client !== null ? revoke : rotate)(key, slug),
  },
  expiring: {
    title: 'Expiring',
    tone: 'warn',
    sentence: (key, time) => html`Stops working ${timeOfEnd(endOf(key) ?? isoOf(time.nowMs), time)}.`,
    fix: (key, slug) => (key.client === null ? rotate : edit)(key, slug),
  },
  rotation_unfinished: {
    title: 'Rotation unfinished',
    tone: 'warn',
    sentence: ({ state }, time) => state.kind === 'rotating' && rotationText(state, time),
    fix: ({ id }, slug) => ({ href: paths.key(slug, id), text: 'Review' }),
  },
  unused: {
    title: 'Not used for 30 days',
    tone: '',
    sentence: ({ lastUsedAt, createdAt }, time) =>
      lastUsedAt === null
        ? html`Never used since it was created on ${dateTime(createdAt, time)}.`
        : html`Last used ${relativeTime(lastUsedAt, time)}.`,
    fix: revoke,
  },
}

function rotationText(state: Extract<KeyOverview['state'], { kind: 'rotating' }>, time: LocalTime): Html {
  const until = html`until ${momentTime(state.until, time)}`
  return state.successor.works
    ? html`The old key is still being used. It works ${until}.`
    : html`The new key has ended. The old one works ${until}.`
}

export function attentionNote(kind: AttentionKind, key: KeyOverview, frame: PageFrame): Html {
  const { title, tone, sentence, fix } = reasons[kind]
  const { href, text } = fix(key, frame.workspace.slug)
  return note(tone, `${title}.`, html`${sentence(key, frame)} <a href="${href}">${text}</a>`)
}

export const note = (tone: Reason['tone'], what: Part, rest: Part): Html =>
  html`<p class="note ${tone}"><strong>${what}</strong> ${rest}</p>\n`
