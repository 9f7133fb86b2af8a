import { readConfig } from '../../../config.ts'
import type { OperatorStore } from '../../../database/store.ts'
import { Keys } from '../../../keys/life-cycle.ts'
import { DAY_MS } from '../../../lib/duration.ts'
import { isoOf } from '../../../lib/instant.ts'
import { ListWriter } from '../../../lists/stored/write.ts'
import { addMember } from '../../../members/members.ts'
import { membershipsOf } from '../../../members/records.ts'
import { createSignInLink, LINK_MINUTES } from '../../../members/sign-in-link.ts'
import { defaultPermissions } from '../../../resources/define.ts'
import { currentTasks } from '../../../resources/tasks/list.ts'
import { signInLinkUrl } from '../../../web/paths.ts'
import { listWorkspaces } from '../../../workspaces/records.ts'
import { createWorkspace } from '../../../workspaces/workspaces.ts'
import { Command } from '../../command.ts'
import type { Context } from '../../context.ts'
import { serveUntilStopped } from '../../serve/serve.ts'
import { print, program } from '../../terminal/output.ts'
import { addHistory } from './history.ts'
import { demoTasks } from './tasks.ts'

/** The greeting on stdout may be piped. */
const STDERR = 2
const SLUG = 'northwind'
const OWNER = 'ines@northwind.example'
const ACTOR = 'demo'
const FIVE_WEEKS_MS = 35 * DAY_MS
const KEY_LIFETIME_MS = 90 * DAY_MS

export const command = (context: Context) =>
  new Command('demo', 'fill an empty database with a sample workspace, print its key once, and serve it')
    .notes('\nExamples:\n  vitrine demo\n  PORT=8080 DATABASE_URL=sqlite:/tmp/demo.db vitrine demo')
    .action(async () => {
      // Request logs would bury the printed key and commands, so they are off by default.
      const config = readConfig({ LOG_LEVEL: 'warn', ...process.env })
      const permissions = defaultPermissions(context.resources)
      // The key is shown only once, so it is created after the port is open.
      await serveUntilStopped(
        config,
        context,
        async (url) =>
          print(await context.withStore((store) => greet(store, url, config.publicUrl || url, permissions))),
        STDERR,
      )
    })

async function greet(store: OperatorStore, url: string, publicUrl: string, permissions: string[]): Promise<string> {
  const [workspace] = await store.read(listWorkspaces)
  if (workspace !== undefined) return welcomeBack(url, workspace.slug, await ownersLink(store, publicUrl))
  const key = await fill(store, permissions)
  return welcome(url, key, await ownersLink(store, publicUrl))
}

/** Undefined if the database was not filled by the demo. */
const ownersLink = (store: OperatorStore, url: string): Promise<string | undefined> =>
  store.transaction(async (tx) => {
    if ((await membershipsOf(tx, OWNER)).length === 0) return undefined
    return signInLinkUrl(url, await createSignInLink(tx, { email: OWNER }, ACTOR))
  })

async function fill(store: OperatorStore, permissions: string[]): Promise<string> {
  const nowMs = await store.read(async (tx) => tx.nowMs)
  const began = isoOf(nowMs - FIVE_WEEKS_MS)
  const details = { name: 'Northwind Buying', slug: SLUG, timezone: 'Europe/London', currency: 'GBP', country: 'GB' }
  const wanted = { label: 'demo', permissions, quota: null, expiresAt: isoOf(nowMs + KEY_LIFETIME_MS) }
  const { token } = await store.transaction(async (tx) => {
    const workspace = await createWorkspace(tx, details, ACTOR, began)
    await addMember(tx, SLUG, { email: OWNER, role: 'owner' }, ACTOR, began)
    const writer = await ListWriter.open(tx, currentTasks, workspace.id)
    await writer.create(demoTasks(nowMs))
    await addHistory(tx, workspace, permissions, nowMs)
    return new Keys(tx, ACTOR).create(SLUG, wanted)
  })
  return token
}

const settings = (link: string | undefined) =>
  link === undefined
    ? ''
    : `
Open the settings page as its owner, with a link that works once, within ${LINK_MINUTES} minutes:
  ${link}
`

const welcome = (url: string, key: string, link: string | undefined) => `
Vitrine listens on ${url} with the demo workspace "Northwind Buying". Ctrl+C stops it.

Its key, shown only once:
  ${key}

Read the tasks, or call a tool as an agent would:
  curl -H "Authorization: Bearer ${key}" ${url}/tasks
  curl -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" \\
    -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_tasks","arguments":{"limit":3}}}' ${url}/v2/mcp
${settings(link)}`

const welcomeBack = (url: string, slug: string, link: string | undefined) => `
Vitrine listens on ${url}. The database already has workspaces, so the demo did not change it. Ctrl+C stops it.

Keys are shown only once. To create another, run this in a second terminal:
  ${program} key create --workspace ${slug} --label "second demo key"
${settings(link)}`
