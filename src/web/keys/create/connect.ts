import type { WorkspaceHandler } from '../../context.ts'
import { type Html, html, type Part } from '../../html.ts'
import { copyButton } from '../../layout/field.ts'
import { type PageFrame, page } from '../../layout/page.ts'
import { paths, serviceUrlOf, sitePaths } from '../../paths.ts'
import { htmlResponse } from '../../responses.ts'
import { serverName } from './snippets.ts'

export const showConnect: WorkspaceHandler = async (context) => {
  const { frame, config } = context
  const mcpUrl = config.connect === undefined ? null : serviceUrlOf(context) + sitePaths.mcp
  return htmlResponse(200, connectPage(frame, mcpUrl))
}

/** `mcpUrl` is null while agents cannot be connected by signing in. */
export function connectPage(frame: PageFrame, mcpUrl: string | null): string {
  const { slug } = frame.workspace
  const byUrl = mcpUrl !== null && section('by-url', 'By signing in', stepsWith(mcpUrl, slug))
  const withKey = html`<p>For an agent that sends a header, such as Claude Code, Cursor, VS Code, Codex, Gemini CLI or GitHub Copilot CLI, and for a script: a report, a dashboard or a nightly job.</p>
<p>You choose what the key may read. It is then shown once, with the configuration for each agent, and with examples for curl, TypeScript and Python. The <a href="${sitePaths.api}" target="_blank">API reference</a> describes what a script can read.</p>
<p class="buttons"><a class="button primary" href="${paths.newKey(slug)}">Create a key</a></p>`
  return page(frame, {
    title: 'Connect',
    guide: mcpUrl === null ? ['settings#creating-a-key', 'creating a key'] : ['connecting', 'connecting by signing in'],
    lead: 'Let an agent or a script read this workspace. It cannot change anything.',
    back: { href: paths.keys(slug), text: 'API keys' },
    body: [byUrl, section('by-key', 'With a key', withKey), mcpUrl === null && NO_SIGN_IN],
  })
}

const section = (id: string, title: string, body: Html): Html =>
  html`<section class="panel part" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${body}</section>`

const NO_SIGN_IN = html`<p class="hint">Agents that take only a URL, such as ChatGPT, cannot be connected here: this service has no public <code>https</code> address yet. Its operator can set one.</p>`

const stepsWith = (url: string, slug: string): Html =>
  html`<p>Paste this URL into an agent that asks for one. Then sign in, and choose the workspace and what the agent may read. There is no key to copy.</p>
<div class="secret"><code id="mcp-url" role="textbox" aria-readonly="true" aria-labelledby="by-url" tabindex="0">${url}</code>${copyButton('mcp-url', 'Copy URL')}</div>
<div class="snippets" data-tabs="Steps for each agent">${Object.entries(stepsOf(url, serverName(slug))).map(
    ([agent, steps]) =>
      html`<details class="snippet" id="steps-${agent.toLowerCase().replace(' ', '')}" open><summary>${agent}</summary><div class="snippet-body"><ol class="numbered">${[...steps, SIGN_IN].map((step) => html`<li>${step}</li>`)}</ol></div></details>
`,
  )}</div>
<p class="hint">It then appears in the list of API keys, where you can see when it was last used, pause it, and disconnect it.</p>`

const SIGN_IN = 'Sign in here, check the host that is shown, choose the workspace and the permissions, and connect it.'

const stepsOf = (url: string, name: string): Record<string, Part[]> => ({
  ChatGPT: [
    'On the web, open Settings, then Apps, then Advanced settings, and turn on developer mode.',
    'Choose Create app, enter a name, paste the URL, and choose OAuth as the authentication.',
  ],
  Claude: [
    'Open Customize (in some versions, Settings), then Connectors, and choose Add custom connector.',
    'Enter a name, paste the URL, choose Add, and then Connect.',
  ],
  Cursor: [
    html`Add this to <code>~/.cursor/mcp.json</code>: <code>${JSON.stringify({ mcpServers: { [name]: { url } } })}</code>`,
    html`Open the settings for MCP, and choose Connect next to <code>${name}</code>.`,
  ],
  'VS Code': [
    html`Run the command <strong>MCP: Add Server</strong>, choose HTTP, paste the URL, and enter a name, such as <code>${name}</code>.`,
    'Start the server, and allow VS Code to open the browser.',
  ],
})
