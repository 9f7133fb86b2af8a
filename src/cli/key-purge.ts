import { Command } from 'commander'
import { endedBefore as endOfAge } from '../audit/trusted-time.ts'
import { purgeKeys } from '../keys/purge.ts'
import { formatCount } from '../lib/format-count.ts'
import { listWorkspaces } from '../resources/workspace/records.ts'
import { actor, type Context } from './context.ts'
import { parseDuration } from './duration.ts'
import { printJson, printMessage } from './output.ts'
import { retentionTime, TRUST_CLOCK } from './retention-time.ts'

interface Options {
  endedBefore: string
  trustClock?: true
  json?: true
}

export const command = ({ withStore }: Context) =>
  new Command('purge')
    .description('remove keys that were revoked or expired long ago, with their use, callers and refusals')
    .requiredOption('--ended-before <duration>', 'remove keys that ended longer ago than this, such as 365d')
    .option(...TRUST_CLOCK)
    .option('--json', 'print what was removed as JSON, one workspace per line')
    .addHelpText(
      'after',
      `
A removed key is refused as before, like any key that does not exist. The audit log keeps its entries, and says how many keys
were removed. A server does the same once a day if KEY_RETENTION is set for it.

Examples:
  vitrine key purge --ended-before 365d`,
    )
    .action(async ({ endedBefore, trustClock, json }: Options) => {
      const ageMs = parseDuration(endedBefore, '--ended-before')
      const { results, slugs } = await withStore(async (store) => ({
        slugs: new Map((await store.read((tx) => listWorkspaces(tx))).map(({ id, slug }) => [id, slug])),
        results: await purgeKeys(store, endOfAge(await retentionTime(store, trustClock), ageMs), actor()),
      }))
      for (const { workspaceId, removed } of results) {
        const workspace = slugs.get(workspaceId) ?? null
        if (json) printJson({ workspace, workspaceId, removed })
        else
          printMessage(`${workspace ?? workspaceId}: removed ${formatCount(removed)} ${removed === 1 ? 'key' : 'keys'}`)
      }
      if (!json && results.length === 0) printMessage('No keys ended that long ago.')
    })
