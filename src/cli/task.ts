import { Command } from 'commander'
import { importCommand } from './task-import.ts'

export const command = () => new Command('task').description('bring tasks into a workspace').addCommand(importCommand())
