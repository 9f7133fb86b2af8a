import { formatCount } from '../../lib/format-count.ts'
import { html, quoted } from '../../lib/html.ts'
import { type Chrome, csrfField, heading, page } from '../layout/layout.ts'
import { paths } from '../paths.ts'

/** GET …/workspace/archive, for an owner. POST answers 303 to the workspace's page. */
interface ArchiveModel {
  chrome: Chrome
  /** Those that have not ended. */
  keys: number
}

export function archivePage({ chrome, keys }: ArchiveModel): string {
  const { name, slug } = chrome.workspace
  const back = { href: paths.workspace(slug), text: 'Workspace' }
  const keyText = keys === 1 ? 'Its one key stays' : `Its ${formatCount(keys)} keys stay`
  const body = html`${heading({ title: html`Archive ${quoted(name)}?`, lead: 'Nothing is deleted, and an owner can restore it at any time.', back })}
<form class="form panel" method="post" action="${paths.archive(slug)}">${csrfField(chrome)}
<ul class="consequences">
<li>From its keys’ next request on, <code>/workspace</code> answers 404 and <code>/tasks</code> is empty. The tools of agents do the same.</li>
${keys > 0 && html`<li>${keyText}, and can read it again once it is restored. To stop a key for good, revoke it first.</li>`}
<li>Tasks, members, sources and the audit log are kept. Syncs of its sources go on.</li>
<li>In the browser only its owners can still do something: restore it. All others see whom to ask.</li>
</ul>
<div class="buttons"><button class="button destructive">Archive workspace</button><a class="button" href="${back.href}">Keep it</a></div></form>`
  return page(chrome, { title: `Archive ${name}`, section: 'workspace', body })
}
