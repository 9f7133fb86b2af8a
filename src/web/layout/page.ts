import type { LocalTime } from '../../lib/local-dates.ts'
import type { Role } from '../../members/records.ts'
import { assets } from '../assets.ts'
import { type Html, html, isolated, type Part } from '../html.ts'
import { paths, sitePaths } from '../paths.ts'
import { csrfField, onceField } from './field.ts'
import { type IconName, icon } from './icon.ts'

interface PageParts {
  title: string
  /** Defaults to the title. */
  heading?: Part
  lead?: Part
  back?: Link
  actions?: Part
  /** Defaults to the section's. */
  guide?: GuideLink
  body: Part
}

export interface Link {
  href: string
  text: string
}

export function page(frame: PageFrame, parts: PageParts): string {
  const { title, guide = frame.section === null ? signingIn : sections[frame.section].guide, body } = parts
  return document(`${title} · ${frame.workspace.name}`, [
    html`<a class="skip" href="#main">Skip to the content</a>`,
    html`<div class="frame">${sidebar(frame)}<main id="main" tabindex="-1"><div class="content">${headingOf(parts)}${noticeBox(frame.notice ?? null)}${body}${footer(frame, guide)}</div></main></div>`,
  ])
}

function footer({ timezone, role, workspace }: PageFrame, [at, text]: GuideLink): Html {
  const zone = role === 'member' ? timezone : html`<a href="${paths.workspace(workspace.slug)}">${timezone}</a>`
  return html`<footer class="zone">${icon('clock')}<span>Dates and times are in the workspace’s timezone, ${zone}.</span><a class="guide" href="${sitePaths.guide(at)}">Guide: ${text}</a></footer>`
}

export interface FormPage extends Omit<PageParts, 'body' | 'actions'> {
  notices?: Part
  action: string
  /** The form creates something, so it carries a ticket: see `form.ts`. */
  once?: true
  fields: Part
  /** The button shows `pending` while the form is sent. */
  button: { text: string; pending?: string; isDestructive?: boolean }
  otherButtons?: Part
  cancel: Link
  /** Above the buttons where there is no room. */
  beside?: Part
}

export function formPage(frame: PageFrame, form: FormPage): string {
  const { notices = null, action, once, fields, button, otherButtons = null, ...others } = form
  const { cancel, beside = null, ...parts } = others
  const body = html`${notices}
<form class="form panel" method="post" action="${action}" novalidate>${csrfField(frame)}${once === true && onceField()}
${fields}${beside !== null && html`<div class="beside">${beside}</div>`}
<div class="buttons"><button class="button ${button.isDestructive ? 'destructive' : 'primary'}"${button.pending !== undefined && html` data-pending="${button.pending}"`}>${button.text}</button>${otherButtons}<a class="button" href="${cancel.href}">${cancel.text}</a></div></form>`
  return page(frame, { ...parts, body })
}

export const DRAFT: Notice = {
  tone: 'neutral',
  text: 'You are signed in again, and nothing has been sent yet. What you typed is still here: check it and send it.',
}

export const card = (title: string, body: Part, className = ''): string =>
  document(title, html`<main class="card-page ${className}" id="main"><div class="card">${logo}${body}</div></main>`)

const logo = html`<img class="logo" src="${assets['icon.svg'].path}" width="32" height="32" alt="Vitrine">`

export function document(title: string, body: Part, css = assets['settings.css']): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · Vitrine</title>
<link rel="icon" href="${assets['icon.svg'].path}" type="image/svg+xml">
<link rel="preload" href="${assets['instrument-sans.woff2'].path}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${css.path}">
<script src="${assets['settings.js'].path}" type="module"></script>
</head>
<body>
${body}
</body>
</html>
`.text
}

export interface Notice {
  tone: 'good' | 'bad' | 'neutral' | 'warn'
  text: string
}

const noticeIcons = { good: 'check', bad: 'warning', warn: 'warning', neutral: 'info' } as const

/** With a role, screen readers announce it. */
export const noticeLine = (tone: keyof typeof noticeIcons, text: Part, role?: 'alert' | 'status' | 'note'): Html =>
  html`<p class="notice ${tone}"${role !== undefined && html` role="${role}"`}>${icon(noticeIcons[tone])}<span>${text}</span></p>`

export const noticeBox = (notice: Notice | null): Part =>
  notice !== null && noticeLine(notice.tone, notice.text, notice.tone === 'bad' ? 'alert' : 'status')

const headingOf = ({ title, heading = title, lead = null, back, actions = null }: PageParts): Html =>
  html`${back !== undefined && html`<p class="crumbs"><a href="${back.href}">${icon('left')}${back.text}</a></p>`}
<div class="heading"><div><h1>${heading}</h1>${lead !== null && html`<p class="lead">${lead}</p>`}</div>${actions !== null && actions !== false && html`<div class="actions">${actions}</div>`}</div>`

/** Follows a sentence that ends with "ask:". */
export const peopleToAsk = (people: readonly { email: string; role: Role }[]): Html =>
  people.length === 0
    ? html`<p>the operator of this service, because the workspace has no owner yet.</p>`
    : html`<ul class="people">${people.map(({ email, role }) => html`<li><a href="mailto:${email.replace(/[^\w.@-]/g, encodeURIComponent)}">${email}</a> <span class="role">${role}</span></li>`)}</ul>`

/** Facts that are false are left out. */
export const factsList = (facts: readonly (readonly [name: Part, value: Part] | false)[], className = ''): Html =>
  html`<dl class="facts-list ${className}">${facts.map((fact) => fact !== false && html`<div><dt>${fact[0]}</dt><dd>${fact[1]}</dd></div>\n`)}</dl>`

export interface PageFrame extends LocalTime {
  workspace: { name: string; slug: string }
  /** Includes the current one. Most recently used first. */
  workspaces: { name: string; slug: string; role: Role }[]
  email: string
  role: Role
  csrf: string
  /** Highlighted in the navigation. */
  section: Section | null
  notice?: Notice | null
}

type Section = 'overview' | 'keys' | 'requests' | 'audit' | 'notices' | 'members' | 'workspace'

/** A documentation page, or a section of one, and its subject. */
export type GuideLink = readonly [at: string, text: string]
const signingIn: GuideLink = ['settings#signing-in', 'signing in']

/** Each has its own path below the workspace's, and so does everything that belongs to it. */
const sections: Record<Section, { icon: IconName; text: string; guide: GuideLink }> = {
  overview: { icon: 'chart', text: 'Overview', guide: ['settings#the-overview', 'the overview'] },
  keys: { icon: 'key', text: 'API keys', guide: ['settings#the-list-of-keys', 'the list of keys'] },
  requests: { icon: 'log', text: 'Requests', guide: ['settings#requests', 'the request log'] },
  audit: { icon: 'chain', text: 'Audit log', guide: ['audit', 'the audit log, and how to verify it'] },
  notices: { icon: 'bell', text: 'Notices', guide: ['notices', 'notices by mail and webhook'] },
  members: { icon: 'people', text: 'Members', guide: ['settings#roles', 'members and their roles'] },
  workspace: { icon: 'sliders', text: 'Workspace', guide: ['filling', 'filling a workspace, and when a source fails'] },
}

/** The section in the path of a workspace's page, which an error page keeps. */
export function sectionIn(path: string): Section | null {
  const name = path.split('/')[4]?.replace(/\..*/, '') ?? 'overview'
  return Object.hasOwn(sections, name) ? (name as Section) : null
}

const isShownTo = (role: Role, section: Section): boolean =>
  role !== 'member' || !['overview', 'requests', 'audit', 'notices'].includes(section)

function sidebar(frame: PageFrame): Html {
  const { slug } = frame.workspace
  const group = (id: string, title: string, ...shown: Section[]) => {
    const links = shown
      .filter((section) => isShownTo(frame.role, section))
      .map((section) => {
        const { icon: name, text } = sections[section]
        return html`<li><a href="${paths[section](slug)}"${section === frame.section && html` aria-current="page"`}>${icon(name)}<span>${text}</span></a></li>`
      })
    return html`<p class="group" id="${id}">${title}</p><ul aria-labelledby="${id}">${links}</ul>`
  }
  return html`<header class="side">
${switcher(frame)}
<nav class="nav" aria-label="Settings">${group('nav-ai', 'AI & agents', 'overview', 'keys', 'requests', 'audit')}${group('nav-workspace', 'Workspace', 'notices', 'members', 'workspace')}</nav>
<div class="who"><p><a href="${paths.signIns(slug)}" title="Where you are signed in">${icon('person')}<span class="email">${frame.email}</span></a><span class="role">${frame.role}</span></p>
<form method="post" action="${paths.signOut}">${csrfField(frame)}<button class="quiet">${icon('leave')}Sign out</button></form></div>
</header>`
}

const SWITCHER_SHOWN = 8

/** Leads to the same section of the other workspace, if the person's role there shows it. */
function switcher({ workspace, workspaces, section: current }: PageFrame): Html {
  const image = html`<img src="${assets['icon.svg'].path}" width="24" height="24" alt="">`
  const name = html`<span class="name">${isolated(workspace.name)}</span>`
  const home = paths.overview(workspace.slug)
  if (workspaces.length < 2) return html`<a class="workspace" href="${home}">${image}${name}</a>`
  const others = workspaces.slice(0, SWITCHER_SHOWN).map(({ name, slug, role }) => {
    const section = current !== null && isShownTo(role, current) ? current : 'keys'
    return html`<li><a href="${paths[section](slug)}"${slug === workspace.slug && html` aria-current="true"`}>${isolated(name)}</a></li>`
  })
  return html`<div class="switch"><a class="home" href="${home}">${image}<span class="visually-hidden">Overview of ${isolated(workspace.name)}</span></a>
<details class="menu switcher" data-closes><summary class="workspace">${name}<span class="visually-hidden"> · switch workspace</span></summary><ul>${others}${workspaces.length > SWITCHER_SHOWN && html`<li><a href="${paths.workspaces(workspace.slug)}">All ${workspaces.length} workspaces</a></li>`}</ul></details></div>`
}
