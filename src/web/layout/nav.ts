import { type Html, html, named } from '../../lib/html.ts'
import type { Role } from '../../members/records.ts'
import { assets } from '../assets.ts'
import { paths } from '../paths.ts'
import { csrfField } from './field.ts'
import { type IconName, icon } from './icon.ts'
import type { Chrome } from './page.ts'

export type Section = 'keys' | 'audit' | 'members' | 'workspace'

interface Entry {
  section: Section
  icon: IconName
  text: string
  href: (slug: string) => string
  /** Whether members see it too. */
  isForAll?: boolean
}

const groups: { id: string; title: string; entries: Entry[] }[] = [
  {
    id: 'nav-ai',
    title: 'AI & agents',
    entries: [
      { section: 'keys', icon: 'key', text: 'API keys', href: (slug) => paths.keys(slug), isForAll: true },
      { section: 'audit', icon: 'log', text: 'Audit log', href: (slug) => paths.audit(slug) },
    ],
  },
  {
    id: 'nav-workspace',
    title: 'Workspace',
    entries: [
      { section: 'members', icon: 'people', text: 'Members', href: (slug) => paths.members(slug), isForAll: true },
      {
        section: 'workspace',
        icon: 'sliders',
        text: 'Workspace',
        href: (slug) => paths.workspace(slug),
        isForAll: true,
      },
    ],
  },
]

export function sidebar(chrome: Chrome, section: Section | null): Html {
  return html`<header class="side">
${switcher(chrome, section)}
<nav class="nav" aria-label="Settings">${groups.map(({ id, title, entries }) => {
    const shown = entries.filter((entry) => isShownTo(entry, chrome.role))
    if (shown.length === 0) return null
    const links = shown.map((entry) => navLink(entry, chrome.workspace.slug, section))
    return html`<p class="group" id="${id}">${title}</p><ul aria-labelledby="${id}">${links}</ul>`
  })}</nav>
<div class="who"><p><a class="email" href="${paths.signIns(chrome.workspace.slug)}" title="Your sign-ins">${chrome.email}</a><span class="role">${chrome.role}</span></p>
<form method="post" action="${paths.signOut}">${csrfField(chrome)}<button class="quiet">${icon('leave')}Sign out</button></form></div>
</header>`
}

const isShownTo = ({ isForAll }: Entry, role: Role): boolean => isForAll === true || role !== 'member'

const navLink = (entry: Entry, slug: string, section: Section | null): Html =>
  html`<li><a href="${entry.href(slug)}"${section === entry.section && html` aria-current="page"`}>${icon(entry.icon)}<span>${entry.text}</span></a></li>`

/** The same section of another workspace, if the person's role there shows it. */
function sectionOf({ slug, role }: { slug: string; role: Role }, section: Section | null): string {
  const entry = groups.flatMap(({ entries }) => entries).find((one) => one.section === section && isShownTo(one, role))
  return entry?.href(slug) ?? paths.keys(slug)
}

/** Works without script: a list of links under a summary. */
function switcher({ workspace, workspaces }: Chrome, section: Section | null): Html {
  const name = html`<img src="${assets['icon.svg'].path}" width="24" height="24" alt=""><span class="name">${named(workspace.name)}</span>`
  if (workspaces.length < 2) return html`<p class="workspace">${name}</p>`
  const others = workspaces.map(
    ({ name, slug, role }) =>
      html`<li><a href="${sectionOf({ slug, role }, section)}"${slug === workspace.slug && html` aria-current="true"`}>${named(name)}</a></li>`,
  )
  return html`<details class="menu switcher" data-closes><summary class="workspace">${name}<span class="visually-hidden"> · switch workspace</span></summary><ul>${others}</ul></details>`
}
