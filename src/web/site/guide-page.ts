import { readFile } from 'node:fs/promises'
import { html } from '../../lib/html.ts'
import { fileAddress, fileUrl } from './files.ts'
import { contents, type Frame } from './frame.ts'
import { guideGroups } from './guides.ts'
import { renderMarkdown } from './markdown.ts'
import { sitePaths } from './paths.ts'

/** A Markdown file of the project as a page. */
export async function guidePage(frame: Frame, file: string): Promise<string> {
  const { title, body, sections } = renderMarkdown(file, await readFile(fileUrl(file), 'utf8'))
  return frame({
    title,
    part: 'docs',
    aside: contents(sections) || html``,
    body: html`<article class="article"><p class="crumbs"><a href="${sitePaths.docs}">Docs</a></p>
${body}
<p class="source"><a href="${fileAddress(file)}">This page as Markdown</a></p></article>`,
  })
}

export function docsIndexPage(frame: Frame): string {
  const body = html`<div class="article wide"><h1>Documentation</h1>
<p class="lead">The guides of the version that runs here. Each is also there as Markdown, for agents: add <code>.md</code> to its address.</p>
${guideGroups.map(
  ({ title, guides }) => html`<h2>${title}</h2>
<ul class="tiles">${guides.map((guide) => html`<li><a href="${sitePaths.guide(guide.name)}">${guide.title}</a><p>${guide.about}</p></li>`)}</ul>`,
)}
<h2>Look it up</h2>
<ul class="tiles"><li><a href="${sitePaths.api}">API reference</a><p>Every operation with its parameters, headers, examples and problems.</p></li>
<li><a href="${sitePaths.problems}">Problems</a><p>Every error code: what happened, and what to do.</p></li></ul></div>`
  return frame({ title: 'Documentation', part: 'docs', body })
}
