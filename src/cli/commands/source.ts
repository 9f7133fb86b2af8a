import { Readable } from 'node:stream'
import { sourceStateOf } from '../../import/source-state.ts'
import { listSources } from '../../import/sources.ts'
import { syncRecords } from '../../import/sync-records.ts'
import { counted, formatCount } from '../../lib/format-count.ts'
import { UserError } from '../../lib/user-error.ts'
import { type List, listsOf } from '../../lists/definition.ts'
import { workspaceOrThrow } from '../../workspaces/records.ts'
import { Command } from '../command.ts'
import { actor, type Context } from '../context.ts'
import { UsageError } from '../errors.ts'
import { withRecordListener } from '../input-file.ts'
import { printResult, sanitize } from '../terminal/output.ts'
import { printList } from '../terminal/table.ts'

interface Options {
  workspace: string
  yes?: true
}

export const command = (context: Context) =>
  new Command('source', 'list and delete the sources that are synced into a workspace').subcommands(
    ...[list, remove].map((command) => command(context)),
  )

const list = (context: Context) =>
  new Command('list', 'list the sources of a workspace with their state')
    .requiredOption('--workspace <slug>', 'the workspace')
    .notes(`
A source is 'synced', 'failing' since an error, 'overdue' if its next sync is late, or 'abandoned' if it was never
synced and is no longer attempted, for example because its name was misspelt.`)
    .examples('source list --workspace northwind')
    .withResult(async ({ workspace }: Options) => {
      const sources = await sourcesOf(context, workspace)
      printList(sources, `${workspace} has no sources; 'vitrine task sync' adds one.`, {
        SOURCE: ({ name }) => name,
        OF: ({ resource }) => resource,
        STATE: ({ state }) => state,
        ROWS: ({ rowCount }) => (rowCount === null ? '' : formatCount(rowCount)),
        SYNCED: ({ syncedAt }) => syncedAt ?? 'never',
        EVERY: ({ everySeconds }) => (everySeconds === null ? '' : `${everySeconds} s`),
        FAILURE: ({ failure }) => failure ?? '',
      })
    })

const sourcesOf = ({ read }: Context, slug: string) =>
  read(async (tx) => {
    const { id } = await workspaceOrThrow(tx, slug)
    return (await listSources(tx, id)).map(({ name, list: resource, ...source }) => {
      const state = sourceStateOf(source, tx.nowMs)
      return { name, resource, state, ...source }
    })
  })

const remove = (context: Context) =>
  new Command('delete', 'delete a source with everything that was synced from it')
    .argument('<name>', "the source, as 'vitrine source list' shows it")
    .requiredOption('--workspace <slug>', 'the workspace')
    .option('--yes', 'confirm; without this, only show what would be deleted')
    .examples('source delete tracker --workspace northwind --yes')
    .withResult(async (name: string, { workspace, yes }: Options) => {
      const sources = (await sourcesOf(context, workspace)).filter((source) => source.name === name)
      if (sources.length === 0)
        throw new UserError(
          `${workspace} has no source named ${sanitize(name)}; 'vitrine source list --workspace ${workspace}' shows them`,
        )
      const lists = sources.map(({ resource }) => listNamed(context, resource))
      const deleted: Record<string, number> = {}
      const summary: string[] = []
      for (const each of lists) {
        const { gone } = await emptySource(context, each, workspace, name, !yes)
        deleted[each.name] = gone
        summary.push(counted(gone, each.singular, each.name))
      }
      if (!yes) throw new UsageError(`this would delete ${name} with ${summary.join(', ')}; add --yes to do it`)
      printResult({ workspace, source: name, deleted }, `Deleted ${name} of ${workspace} with ${summary.join(', ')}.`)
    })

function listNamed({ resources }: Context, name: string): List {
  const found = listsOf(resources).find((each) => each.name === name)
  if (found === undefined)
    throw new UserError(`the resource ${name} is not defined; set RESOURCES to the folder with its definition`)
  return found
}

/** A sync of a snapshot without records removes all rows, and with them the source. */
function emptySource({ withStore }: Context, list: List, workspace: string, source: string, dryRun: boolean) {
  const firstPart = () => ({ chunks: Readable.from([Buffer.from('[]')]) })
  const options = { workspace, source, dryRun, firstPart, allowEmpty: true, maxGone: { percent: 100 } }
  return withRecordListener((listener) =>
    withStore((store) => syncRecords({ store, list, actor: actor(), ...listener }, options)),
  )
}
