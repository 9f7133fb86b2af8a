import { foldForSearch } from '../../lib/fold-case.ts'
import type { WorkspaceHandler } from '../context.ts'
import { find, resultsTable } from '../find.ts'
import { html, isolated } from '../html.ts'
import { type PageFrame, page } from '../layout/page.ts'
import { roleText } from '../members/list.ts'
import { paths } from '../paths.ts'
import { htmlResponse } from '../responses.ts'

export const showWorkspaces: WorkspaceHandler = async ({ frame, request }) =>
  htmlResponse(200, workspacesPage(frame, request.query))

export function workspacesPage(frame: PageFrame, query: URLSearchParams): string {
  const results = find(frame.workspaces, ({ name, slug }) => foldForSearch(`${name} ${slug}`), query)
  const table = resultsTable(results, {
    label: 'Find by name or slug',
    href: (typed, page) => paths.workspaces(frame.workspace.slug, typed, page),
    caption: 'Your workspaces, most recently used first',
    columns: ['Workspace', 'Slug', 'Your role'],
    rowOf: ({ name, slug, role }) => ({
      head: html`<a href="${paths.overview(slug)}">${isolated(name)}</a>`,
      cells: [html`<code>${slug}</code>`, roleText[role].name],
    }),
  })
  return page(frame, { title: 'Your workspaces', lead: 'Most recently used first.', body: table })
}
