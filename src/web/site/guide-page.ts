import { readFile } from 'node:fs/promises'
import { version } from '../../version.ts'
import { type Html, html, type Part } from '../html.ts'
import { type IconName, icon } from '../layout/icon.ts'
import { paths, sitePaths } from '../paths.ts'
import { fileAddress, fileUrl } from './files.ts'
import { contents, guideList, type SiteFrame } from './frame.ts'
import { guideGroups } from './guides.ts'
import { renderMarkdown } from './markdown.ts'
import problemFixes from './problem-fixes.json' with { type: 'json' }

/** For problems that cannot be fixed in the request itself, and by default for the others. */
const fixes: Record<string, { href: string; text: string }[]> = problemFixes

/** A guide, or the page of a problem, to which the problem's `type` leads. */
export async function guidePage(frame: SiteFrame, file: string, hasSettings: boolean): Promise<string> {
  const { title, body, sections } = renderMarkdown(file, await readFile(fileUrl(file), 'utf8'))
  const code = /^docs\/problems\/([a-z_]+)\.md$/.exec(file)?.[1]
  const isProblem = file.startsWith('docs/problems/')
  const [up, name] = code === undefined ? [sitePaths.docs, 'Docs'] : [sitePaths.problems, 'Problems']
  return frame({
    title,
    part: isProblem ? 'problems' : 'docs',
    aside: [contents(sections), guideList(fileAddress(file).replace(/\.md$/, ''))],
    body: html`<article class="article"><p class="crumbs"><a href="${up}">${name}</a></p>
${body}
${code !== undefined && fixesOf(code, hasSettings)}
${neighbours(fileAddress(file).replace(/\.md$/, ''))}
<p class="source"><a href="${fileAddress(file)}">This page as Markdown</a></p></article>`,
  })
}

/** In the order of the list of guides. */
function neighbours(address: string): Part {
  const guides = guideGroups.flatMap((group) => group.guides)
  const at = guides.findIndex(([name]) => sitePaths.guide(name) === address)
  if (at === -1) return null
  const link = (rel: 'prev' | 'next', words: string, guide = guides[at + (rel === 'prev' ? -1 : 1)]) =>
    guide === undefined
      ? null
      : html`<a rel="${rel}" href="${sitePaths.guide(guide[0])}"><span>${words}</span>${guide[1]}</a>`
  return html`<nav class="neighbours" aria-label="Other guides">${link('prev', 'Previous')}${link('next', 'Next')}</nav>`
}

function fixesOf(code: string, hasSettings: boolean): Html {
  const links = (fixes[code] ?? problemFixes.default).filter(({ href }) => hasSettings || href !== paths.home)
  return html`<h2>Where to go from here</h2>
<ul>${links.map(({ href, text }) => html`<li><a href="${href}">${text}</a></li>`)}</ul>`
}

export function docsIndexPage(frame: SiteFrame): string {
  const body = html`<div class="article wide"><h1>Documentation</h1>
<p class="lead">The guides for the version that runs here. Each is also available as Markdown, for agents: add <code>.md</code> to its address.</p>
${guideGroups.map(
  ({ title, guides }) => html`<h2>${title}</h2>
<ul class="tiles">${guides.map(([name, title, about]) => html`<li><a href="${sitePaths.guide(name)}">${title}</a><p>${about}</p></li>`)}</ul>`,
)}
<h2>Look it up</h2>
<ul class="tiles"><li><a href="${sitePaths.api}">API reference</a><p>Every operation with its parameters, headers, examples and problems.</p></li>
<li><a href="${sitePaths.problems}">Problems</a><p>Every error code: what happened, and what to do.</p></li></ul></div>`
  return frame({ title: 'Documentation', part: 'docs', body })
}

export function homePage(frame: SiteFrame, serviceUrl: string, examplePath: string, hasSettings: boolean): string {
  const body = html`<div class="article wide home"><h1>A read-only view of your workspace, for scripts and AI agents</h1>
<p class="lead">This is Vitrine ${version}. It serves REST and MCP to anyone with an API key for a workspace. Nothing can be changed through it.</p>
<ul class="tiles">${hasSettings && tile('key', paths.home, 'Settings', 'Sign in to create an API key, see how keys are used, rotate and revoke them.')}
${tile('book', sitePaths.docs, 'Docs', 'The guides for this version: REST, MCP, filling a workspace, running the server.')}
${tile('terminal', sitePaths.api, 'API reference', html`Every operation with examples. Also available as an <a href="${sitePaths.openApi}">OpenAPI document</a>.`)}
${tile('warning', sitePaths.problems, 'Problems', 'Every error code: what happened, and what to do.')}</ul>
<section aria-labelledby="first"><h2 id="first">A first request</h2>
<p>Put a key into <code>VITRINE_KEY</code>, on a server or your own machine, never in a web page:</p>
<pre tabindex="0"><code>curl -H "Authorization: Bearer $VITRINE_KEY" ${serviceUrl}${examplePath}</code></pre></section>
<section aria-labelledby="agents"><h2 id="agents">For an agent</h2>
<p>The URL of the MCP endpoint; use the same key as the bearer token. <a href="${sitePaths.guide('mcp')}#configure-a-client">How to configure a client</a>.</p>
<pre tabindex="0"><code>${serviceUrl}${sitePaths.mcp}</code></pre>
<p>To let an agent learn about this service, point it to <a href="${sitePaths.llms}">llms.txt</a>.</p></section></div>`
  return frame({ title: 'Home', part: null, body })
}

const tile = (name: IconName, href: string, title: string, about: Part): Html =>
  html`<li><a href="${href}">${icon(name)}${title}</a><p>${about}</p></li>`
