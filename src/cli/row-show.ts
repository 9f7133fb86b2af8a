import { Command } from 'commander'
import type { Table } from '../database/table.ts'
import { findRow } from '../resources/rows.ts'
import { workspaceOrThrow } from '../resources/workspace/records.ts'
import type { Context } from './context.ts'
import { print, printJson, sanitize } from './output.ts'
import { jsonOf } from './row-list.ts'

/** `vitrine task show` and its like. */
export const showCommand = ({ withReadingStore }: Context, table: Table) =>
  new Command('show')
    .description(`show everything that is stored of a ${table.singular}, and whether it is answered`)
    .argument('<id>', `the id, as 'vitrine ${table.singular} list' shows it`)
    .requiredOption('--workspace <slug>', 'the workspace')
    .option('--json', 'print it as JSON')
    .addHelpText('after', `\nExamples:\n  vitrine ${table.singular} show --workspace northwind 4711`)
    .action(async (id: string, { workspace, json }: { workspace: string; json?: true }) => {
      const found = await withReadingStore((store) =>
        store.read(async (tx) => findRow(tx, table, await workspaceOrThrow(tx, workspace), id)),
      )
      if (json) return printJson(jsonOf(found))
      const lines = { ...found.row, source: found.source, state: found.whyNotAnswered ?? 'current' }
      const width = Math.max(...Object.keys(lines).map((name) => name.length))
      for (const [name, value] of Object.entries(lines)) print(`${name.padEnd(width)}  ${indented(value, width + 2)}`)
    })

/** The lines of a long text below each other. */
const indented = (value: string | number | null, indent: number): string =>
  typeof value === 'string'
    ? value
        .split(/\r\n|\n/)
        .map(sanitize)
        .join(`\n${' '.repeat(indent)}`)
    : sanitize(value)
