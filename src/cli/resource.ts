import { Command } from './command.ts'
import type { Context } from './context.ts'
import { check } from './resource-check.ts'
import { drop } from './resource-drop.ts'
import { list } from './resource-list.ts'
import { draft } from './resource-new.ts'
import { sql } from './resource-sql.ts'

export const command = (context: Context) =>
  new Command('resource')
    .description('declare resources of your own: draft, check, list and drop them, or show a PostgreSQL table')
    .addCommand(draft(context))
    .addCommand(check(context))
    .addCommand(list(context))
    .addCommand(sql(context))
    .addCommand(drop(context))
