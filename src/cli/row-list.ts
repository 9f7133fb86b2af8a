import { Command } from 'commander'
import type { Table } from '../database/table.ts'
import { formatCount } from '../lib/format-count.ts'
import { countRows, listRows, type StoredRow } from '../resources/rows.ts'
import { workspaceOrThrow } from '../resources/workspace/records.ts'
import type { Context } from './context.ts'
import { UsageError } from './errors.ts'
import { drained, print, printMessage } from './output.ts'
import { mayShrink, printTable } from './print-table.ts'
import type { Layout } from './table.ts'

/** As many as a person may want to scroll through; --limit asks for more. */
const DEFAULT_LIMIT = 1000

interface Options {
  workspace: string
  all?: boolean
  limit: string
  json?: true
}

/** `vitrine task list` and its like. */
export const listCommand = ({ withReadingStore }: Context, table: Table) =>
  new Command('list')
    .description(
      `list the ${table.name} of a workspace in the order in which they are answered, with their source and state`,
    )
    .requiredOption('--workspace <slug>', 'the workspace')
    .option('--all', `also those that are not current`)
    .option('--limit <n>', 'maximum number', String(DEFAULT_LIMIT))
    .option('--json', 'print them as JSON, one per line')
    .addHelpText('after', help(table))
    .action(async ({ workspace: slug, all = false, limit, json }: Options) => {
      if (!/^[1-9]\d{0,8}$/.test(limit)) throw new UsageError('--limit: must be a whole number from 1')
      await withReadingStore((store) =>
        store.read(async (tx) => {
          const workspace = await workspaceOrThrow(tx, slug)
          let shown = 0
          let layout: Layout | undefined
          for await (const page of listRows(tx, table, workspace, { all, limit: Number(limit) })) {
            shown += page.length
            if (json) print(page.map((row) => JSON.stringify(jsonOf(row))).join('\n'))
            else layout = printTable(page, columnsFor(table), layout)
            await drained()
          }
          const count = await countRows(tx, table, workspace.id, all)
          const more = count - shown
          if (count === 0 && !json) printMessage(`${slug} has no ${all ? '' : 'current '}${table.name}.`)
          if (more > 0) printMessage(`${formatCount(more)} more; --limit shows them.`)
        }),
      )
    })

const help = ({ singular, name, listing }: Table) => `
STATE is 'current', or why ${name} are not answered${listing === undefined ? '' : `; at most ${listing.limit} are`}.

Examples:
  vitrine ${singular} list --workspace northwind --all`

export const jsonOf = ({ row, source, whyNotAnswered }: StoredRow) => ({ ...row, source, whyNotAnswered })

/** What may be long comes last, where it needs no padding. */
function columnsFor({ listing }: Table): Parameters<typeof printTable<StoredRow>>[1] {
  const field = (name: string) => [headerOf(name), ({ row }: StoredRow) => row[name] ?? null] as const
  const labelField = (name: string) => [headerOf(name), mayShrink(field(name)[1])] as const
  const { order = [], label } = listing ?? {}
  return Object.fromEntries([
    field('id'),
    ...order.filter((name) => name !== label && name !== 'id').map(field),
    ['SOURCE', ({ source }: StoredRow) => source],
    ['STATE', ({ whyNotAnswered }: StoredRow) => whyNotAnswered ?? 'current'],
    ...(label === undefined ? [] : [labelField(label)]),
  ])
}

/** dueAt is DUE AT. */
const headerOf = (field: string) => field.replace(/[A-Z]/g, ' $&').toUpperCase()
