import { type Html, html, named, type Part } from '../../lib/html.ts'
import type { Role } from '../../members/records.ts'
import { assets } from '../assets.ts'
import { paths } from '../paths.ts'
import type { Clock } from './time.ts'

/** What every signed-in page needs. Pages without it (sign-in, some errors) have no navigation. */
export interface Chrome extends Clock {
  workspace: { name: string; slug: string }
  /** All that this person is a member of, the present one included; the switcher is there when there are several. */
  workspaces: { name: string; slug: string }[]
  email: string
  role: Role
  /** Sent back by every form in the field `csrf`. */
  csrf: string
}

export interface Notice {
  tone: 'good' | 'bad' | 'neutral'
  text: string
}

export type Section = 'keys' | 'audit' | 'workspace'

export interface PageParts {
  title: string
  section: Section | null
  body: Part
}

/** A signed-in page: the settings' navigation beside its body. */
export function page(chrome: Chrome, { title, section, body }: PageParts): string {
  return document(`${title} · ${chrome.workspace.name}`, [
    html`<a class="skip" href="#main">Skip to the content</a>`,
    html`<div class="frame">${sidebar(chrome, section)}<main id="main" tabindex="-1"><div class="content">${body}<p class="zone">Dates and times are in the workspace’s timezone, ${chrome.timezone}.</p></div></main></div>`,
  ])
}

/** A page for someone who is not signed in: one card in the middle. */
export function card(title: string, body: Part): string {
  return document(title, html`<main class="card-page" id="main"><div class="card">${logo}${body}</div></main>`)
}

const logo = html`<img class="logo" src="${assets['icon.svg'].path}" width="32" height="32" alt="Vitrine">`

function document(title: string, body: Part): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · Vitrine</title>
<link rel="icon" href="${assets['icon.svg'].path}" type="image/svg+xml">
<link rel="stylesheet" href="${assets['settings.css'].path}">
<script src="${assets['settings.js'].path}" type="module"></script>
</head>
<body>
${body}
</body>
</html>
`.text
}

function sidebar(chrome: Chrome, section: Section | null): Html {
  const { slug } = chrome.workspace
  const link = (target: Section, href: string, text: string) =>
    html`<li><a href="${href}"${section === target && html` aria-current="page"`}>${text}</a></li>`
  return html`<header class="side">
${switcher(chrome)}
<nav aria-label="Settings"><p class="group" id="nav-ai">AI &amp; agents</p>
<ul aria-labelledby="nav-ai">${link('keys', paths.keys(slug), 'API keys')}${chrome.role !== 'member' && link('audit', paths.audit(slug), 'Audit log')}</ul>
<p class="group" id="nav-workspace">Workspace</p><ul aria-labelledby="nav-workspace">${link('workspace', paths.workspace(slug), 'Workspace')}</ul></nav>
<div class="who"><p><span class="email">${chrome.email}</span><span class="role">${chrome.role}</span></p>
<form method="post" action="${paths.signOut}">${csrfField(chrome)}<button class="quiet">Sign out</button></form></div>
</header>`
}

/** Works without script: a list of links under a summary. */
function switcher({ workspace, workspaces }: Chrome): Html {
  const name = html`<img src="${assets['icon.svg'].path}" width="22" height="22" alt=""><span class="name">${named(workspace.name)}</span>`
  if (workspaces.length < 2) return html`<p class="workspace">${name}</p>`
  const others = workspaces.map(
    ({ name, slug }) =>
      html`<li><a href="${paths.keys(slug)}"${slug === workspace.slug && html` aria-current="true"`}>${named(name)}</a></li>`,
  )
  return html`<details class="switcher" data-closes><summary class="workspace">${name}<span class="visually-hidden"> · switch workspace</span></summary><ul>${others}</ul></details>`
}

export const csrfField = ({ csrf }: { csrf: string }): Html => html`<input type="hidden" name="csrf" value="${csrf}">`

export const noticeBox = (notice: Notice | null): Part =>
  notice !== null &&
  html`<p class="notice ${notice.tone}" role="${notice.tone === 'bad' ? 'alert' : 'status'}">${notice.text}</p>`

export interface Heading {
  title: Part
  lead?: Part
  /** A link back to the parent page. */
  back?: { href: string; text: string }
  actions?: Part
}

export const heading = ({ title, lead = null, back, actions = null }: Heading): Html =>
  html`<div class="heading"><div>${back === undefined ? html`<p class="crumbs">Settings <span aria-hidden="true">›</span> AI &amp; agents</p>` : html`<p class="crumbs"><a href="${back.href}"><span aria-hidden="true">‹</span> ${back.text}</a></p>`}
<h1>${title}</h1>${lead !== null && html`<p class="lead">${lead}</p>`}</div>${actions !== null && actions !== false && html`<div class="actions">${actions}</div>`}</div>`
