import { Command } from 'commander'
import { readFolder } from '../resources/declared/load.ts'
import type { Context } from './context.ts'
import { printJson } from './output.ts'
import { givenFolder } from './resource-check.ts'
import { printTable } from './table.ts'
import { examples } from './usage.ts'

export const list = ({ resources, failure }: Context) =>
  new Command('list')
    .description('list your own resources, with what clients and commands call them')
    .option('--json', 'print them as a JSON array')
    .addHelpText('after', examples('resource list'))
    .action(({ json }: { json?: true }) => {
      if (failure !== undefined) throw failure
      const files = new Map(readFolder(givenFolder()).map(({ file, definition }) => [definition?.name, file]))
      const declared = resources.flatMap(({ name, path, permission, tool, table, declared }) =>
        declared === undefined
          ? []
          : {
              name,
              state: declared.state,
              path,
              tool: tool.name,
              permission,
              command: table?.singular ?? null,
              file: files.get(name) ?? null,
            },
      )
      if (json) return printJson(declared)
      printTable(declared, {
        NAME: ({ name }) => name,
        STATE: ({ state }) => state,
        PATH: ({ path }) => path,
        TOOL: ({ tool }) => tool,
        PERMISSION: ({ permission }) => permission,
        COMMAND: ({ command }) => command,
        FILE: ({ file }) => file,
      })
    })
