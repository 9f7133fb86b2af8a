import { Command } from 'commander'
import type { Context } from './context.ts'
import { command as importCommand } from './task-import.ts'

export const command = (context: Context) =>
  new Command('task').description('bring tasks into a workspace').addCommand(importCommand(context))
