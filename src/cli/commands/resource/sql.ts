import { Option } from 'commander'
import { nearestTo, parseTableName, readApplicationTable } from '../../../database/postgres/application-tables/table.ts'
import { applicationTableSql, grantsSql } from '../../../database/postgres/application-tables/table-sql.ts'
import { type Table, tablesOf } from '../../../database/table.ts'
import { checkSourceName } from '../../../import/sources.ts'
import { canonicalZoneName } from '../../../lib/local-dates.ts'
import { prefixingErrors } from '../../../lib/user-error.ts'
import type { Resource } from '../../../resources/define.ts'
import { workspaceOrThrow } from '../../../workspaces/records.ts'
import { Command } from '../../command.ts'
import { type Context, givenDatabase } from '../../context.ts'
import { UsageError } from '../../errors.ts'
import { print, printMessage } from '../../terminal/output.ts'

interface Options {
  table: string
  source?: string
  key?: string
  prefix?: string
  workspace?: string
  workspaceColumn?: string
  timezone: string
  grants?: true
}

export const sql = ({ requireResources, read }: Pick<Context, 'requireResources' | 'read'>) =>
  new Command('sql')
    .description("print the SQL that shows an application's own PostgreSQL table as a resource; nothing is executed")
    .argument('<name>', 'the resource')
    .requiredOption('--table <schema.table>', 'the table, in the database of DATABASE_URL')
    .option('--source <name>', "a name for the table's application (default: the schema)")
    .option('--key <column>', 'the unique column with the ids (default: the primary key)')
    .option('--prefix <text>', "a prefix for the ids, such as 'order-'")
    .addOption(new Option('--workspace <slug>', 'the workspace that all rows belong to').conflicts('workspaceColumn'))
    .option('--workspace-column <column>', "the column with the workspace's id (default: workspace_id)")
    .option('--timezone <zone>', 'the timezone of timestamps without one', 'UTC')
    .option('--grants', "print only the privileges that the table's owner has to grant")
    .notes(`
Columns are mapped to fields of the same name. Review the SQL, complete the lines with TODO, and run it with psql.
See docs/own-tables.md.`)
    .examples(
      'resource sql orders --table shop.orders --workspace-column tenant_id > orders.sql',
      'resource sql orders --table shop.orders --grants | psql -d app -U shop_owner',
    )
    .action(async (name: string, options: Options) => {
      const table = tableNamed(name, requireResources())
      const { source = parseTableName(options.table).schema, key, prefix, workspace, workspaceColumn } = options
      prefixingErrors('--source: ', () => checkSourceName(source), UsageError)
      const zone = canonicalZoneName(options.timezone)
      if (zone === undefined) throw new UsageError(`--timezone: ${options.timezone} is not a known timezone`)
      if (givenDatabase().engine !== 'postgres')
        throw new UsageError("DATABASE_URL: must be postgres://…, since PostgreSQL follows an application's tables")
      const { origin, inWorkspace } = await read(async (tx) => ({
        origin: await readApplicationTable(tx, options.table, { resource: name, source }),
        inWorkspace:
          workspace === undefined ? { column: workspaceColumn } : { id: (await workspaceOrThrow(tx, workspace)).id },
      }))
      if (options.grants) return print(grantsSql(origin))
      const script = applicationTableSql(table, origin, { source, key, prefix, zone, workspace: inWorkspace })
      print(script.sql.trimEnd())
      if (script.unmapped.length > 0)
        printMessage(`Not mapped: ${script.unmapped.join(', ')}. Complete the lines with TODO.`)
      if (!origin.isGranted)
        printMessage(`The role ${origin.role} lacks privileges: ${origin.owner} must first run the output of --grants.`)
    })

function tableNamed(name: string, resources: readonly Resource[]): Table {
  const tables = tablesOf(resources)
  const table = tables.find((each) => each.name === name)
  if (table !== undefined) return table
  const names = tables.map((each) => each.name)
  throw new UsageError(`no resource with a table is named ${name}${nearestTo(name, names)}`)
}
