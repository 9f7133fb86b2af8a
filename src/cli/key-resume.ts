import { Command } from 'commander'
import { Keys } from '../keys/life-cycle.ts'
import { actor, type Context } from './context.ts'
import { printJson, printMessage } from './output.ts'

export const command = ({ withStore }: Context) =>
  new Command('resume')
    .description('resume a paused key: the very next request with it is admitted')
    .argument('<id>', "the key's id, as 'vitrine key list' shows it")
    .option('--json', 'print the key as JSON')
    .addHelpText('after', '\nExamples:\n  vitrine key resume key_0123456789abcdef01')
    .action(async (id: string, { json }: { json?: true }) => {
      const key = await withStore((store) => new Keys(store, actor()).resume(id))
      if (json) return printJson(key)
      printMessage(`Resumed ${key.id} ("${key.label}").`)
    })
