import { type Html, html, named } from '../../lib/html.ts'
import type { Role } from '../../members/records.ts'
import { assets } from '../assets.ts'
import { paths } from '../paths.ts'
import { csrfField } from './field.ts'
import { type IconName, icon } from './icon.ts'
import type { Clock } from './time.ts'

/** What surrounds every signed-in page. Pages without it (sign-in, some errors) have no navigation. */
export interface PageFrame extends Clock {
  workspace: { name: string; slug: string }
  /** All that this person is a member of, the present one included; the switcher is there when there are several. */
  workspaces: { name: string; slug: string; role: Role }[]
  email: string
  role: Role
  /** Sent back by every form in the field `csrf`. */
  csrf: string
  /** Whether the page shows again what was typed before the session ended. */
  hasDraft?: boolean
}

export type Section = 'keys' | 'audit' | 'members' | 'workspace'

const sections: Record<Section, { icon: IconName; text: string; href: (slug: string) => string }> = {
  keys: { icon: 'key', text: 'API keys', href: (slug) => paths.keys(slug) },
  audit: { icon: 'log', text: 'Audit log', href: (slug) => paths.audit(slug) },
  members: { icon: 'people', text: 'Members', href: (slug) => paths.members(slug) },
  workspace: { icon: 'sliders', text: 'Workspace', href: (slug) => paths.workspace(slug) },
}

const isShownTo = (role: Role, section: Section): boolean => section !== 'audit' || role !== 'member'

export function sidebar(frame: PageFrame, current: Section | null): Html {
  const { slug } = frame.workspace
  const group = (id: string, title: string, ...shown: Section[]) => {
    const links = shown
      .filter((section) => isShownTo(frame.role, section))
      .map((section) => {
        const { icon: name, text, href } = sections[section]
        return html`<li><a href="${href(slug)}"${section === current && html` aria-current="page"`}>${icon(name)}<span>${text}</span></a></li>`
      })
    return html`<p class="group" id="${id}">${title}</p><ul aria-labelledby="${id}">${links}</ul>`
  }
  return html`<header class="side">
${switcher(frame, current)}
<nav class="nav" aria-label="Settings">${group('nav-ai', 'AI & agents', 'keys', 'audit')}${group('nav-workspace', 'Workspace', 'members', 'workspace')}</nav>
<div class="who"><p><a class="email" href="${paths.signIns(slug)}" title="Your sign-ins">${frame.email}</a><span class="role">${frame.role}</span></p>
<form method="post" action="${paths.signOut}">${csrfField(frame)}<button class="quiet">${icon('leave')}Sign out</button></form></div>
</header>`
}

/** Works without script: a list of links under a summary. They lead to the same section, if the person's role there shows it. */
function switcher({ workspace, workspaces }: PageFrame, current: Section | null): Html {
  const name = html`<img src="${assets['icon.svg'].path}" width="24" height="24" alt=""><span class="name">${named(workspace.name)}</span>`
  if (workspaces.length < 2) return html`<p class="workspace">${name}</p>`
  const others = workspaces.map(({ name, slug, role }) => {
    const section = current !== null && isShownTo(role, current) ? current : 'keys'
    return html`<li><a href="${sections[section].href(slug)}"${slug === workspace.slug && html` aria-current="true"`}>${named(name)}</a></li>`
  })
  return html`<details class="menu switcher" data-closes><summary class="workspace">${name}<span class="visually-hidden"> · switch workspace</span></summary><ul>${others}</ul></details>`
}
