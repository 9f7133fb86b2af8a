import type { KeyDetail } from '../../../keys/overview.ts'
import { hasEnded } from '../../../keys/state.ts'
import { type Html, html, isolated, type Part } from '../../html.ts'
import { csrfField } from '../../layout/field.ts'
import { type IconName, icon } from '../../layout/icon.ts'
import { type GuideLink, type PageFrame, page } from '../../layout/page.ts'
import { dateTime } from '../../layout/time.ts'
import { type KeyAction, paths } from '../../paths.ts'
import { keyMark, revokeWord, statePill } from '../key-parts.ts'
import { workingSuccessor } from './advice.ts'

/** The first is the key's own page; the others are below it. */
const tabs = { use: 'Use', requests: 'Requests', agent: 'What an agent sees', history: 'History' } as const
const guides: Partial<Record<KeyTab, GuideLink>> = {
  requests: ['settings#requests', 'the request log'],
  agent: ['settings#what-an-agent-sees', 'what an agent sees'],
}
type KeyTab = keyof typeof tabs

/** A key's page: the header and the tabs, which all its pages share, and one tab's content. */
export function keyTabPage(frame: PageFrame, key: KeyDetail, tab: KeyTab, body: Part): string {
  const { slug } = frame.workspace
  const links = (Object.keys(tabs) as KeyTab[]).map((name) => {
    const href = paths.key(slug, key.id, name === 'use' ? undefined : name)
    return html`<li><a href="${href}"${name === tab && html` aria-current="page"`}>${tabs[name]}</a></li>`
  })
  return page(frame, {
    title: tab === 'use' ? key.label : `${tabs[tab]} · ${key.label}`,
    guide: guides[tab] ?? ['settings#one-key', 'what this page shows'],
    heading: isolated(key.label),
    lead: html`${statePill(key)} ${keyMark(key)} <span class="faint">${key.client === null ? 'created' : 'since'} ${dateTime(key.createdAt, frame)}</span>`,
    back: { href: paths.keys(slug), text: 'API keys' },
    actions: !hasEnded(key) && actions(key, frame),
    body: [html`<nav class="tabs" aria-label="This key"><ul>${links}</ul></nav>`, body],
  })
}

/** The primary one is what the key needs most: a leaked or expiring key needs a replacement, and a paused one needs resuming. */
function actions(key: KeyDetail, frame: PageFrame): Html {
  const { slug } = frame.workspace
  const isRotatable = key.client === null && workingSuccessor(key) === undefined
  const isLeaked = key.leak !== null
  const isPaused = key.state.kind === 'paused'
  const needsSuccessor = isRotatable && (isLeaked || key.state.kind === 'expiring')
  const primary = needsSuccessor ? 'rotate' : isLeaked ? 'revoke' : isPaused ? 'resume' : 'edit'
  const classOf = (action: KeyAction) =>
    action !== primary ? (action === 'revoke' ? ' danger' : '') : action === 'revoke' ? ' destructive' : ' primary'
  const link = (action: KeyAction, name: IconName, text: string) =>
    html`<a class="button${classOf(action)}" href="${paths.key(slug, key.id, action)}">${icon(name)}${text}</a>`
  const resume = html`<form method="post" action="${paths.key(slug, key.id, 'resume')}">${csrfField(frame)}<button class="button${classOf('resume')}" data-pending="Resuming…">${icon('play')}Resume</button></form>`
  return html`<div class="buttons key-actions">${link('edit', 'edit', 'Edit')}${isRotatable && link('rotate', 'rotate', 'Rotate')}${isPaused ? resume : link('pause', 'pause', 'Pause')}${link('revoke', 'ban', revokeWord(key))}</div>`
}
