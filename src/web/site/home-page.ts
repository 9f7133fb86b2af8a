import { type Html, html, type Part } from '../../lib/html.ts'
import { version } from '../../version.ts'
import { type IconName, icon } from '../layout/icon.ts'
import { paths } from '../paths.ts'
import type { Frame } from './frame.ts'
import { sitePaths } from './paths.ts'

interface HomeModel {
  /** Where clients reach the service. */
  serviceUrl: string
  /** A path to read first. */
  examplePath: string
  hasSettings: boolean
}

export function homePage(frame: Frame, { serviceUrl, examplePath, hasSettings }: HomeModel): string {
  const body = html`<div class="article wide home"><h1>A read-only view of your workspace, for scripts and AI agents</h1>
<p class="lead">This is Vitrine ${version}. It answers over REST and MCP to whoever has an API key of a workspace. Nothing can be changed through it.</p>
<ul class="tiles">${hasSettings && tile('key', paths.home, 'Settings', 'Sign in to create an API key, see how keys are used, rotate and revoke them.')}
${tile('book', sitePaths.docs, 'Docs', 'The guides of this version: REST, MCP, filling a workspace, running the server.')}
${tile('terminal', sitePaths.api, 'API reference', html`Every operation with examples. The same as an <a href="${sitePaths.openApi}">OpenAPI document</a>.`)}
${tile('warning', sitePaths.problems, 'Problems', 'Every error code: what happened, and what to do.')}</ul>
<section aria-labelledby="first"><h2 id="first">A first request</h2>
<p>Put a key into <code>VITRINE_KEY</code>, on a server or your own machine, never in a web page:</p>
<pre tabindex="0"><code>curl -H "Authorization: Bearer $VITRINE_KEY" ${serviceUrl}${examplePath}</code></pre></section>
<section aria-labelledby="agents"><h2 id="agents">For an agent</h2>
<p>The address of the MCP endpoint, with the same key as bearer token. <a href="${sitePaths.guide('mcp')}#configure-a-client">How to configure a client</a>.</p>
<pre tabindex="0"><code>${serviceUrl}${sitePaths.mcp}</code></pre>
<p>An agent that is to learn about this service can read <a href="${sitePaths.llms}">llms.txt</a>.</p></section></div>`
  return frame({ title: 'Home', part: null, body })
}

const tile = (name: IconName, href: string, title: string, about: Part): Html =>
  html`<li><a href="${href}">${icon(name)}${title}</a><p>${about}</p></li>`
