import { Command } from 'commander'
import { Keys } from '../keys/life-cycle.ts'
import { actor, type Context } from './context.ts'
import { printJson, printMessage } from './output.ts'

export const command = ({ withStore }: Context) =>
  new Command('revoke')
    .description('end a key at once: the very next request with it is refused')
    .argument('<id>', "the key's id, as 'vitrine key list' shows it")
    .option('--json', 'print the key as JSON')
    .action(async (id: string, { json }: { json?: true }) => {
      const key = await withStore((store) => new Keys(store, actor()).revoke(id))
      if (json) return printJson(key)
      printMessage(`Revoked ${key.id} ("${key.label}").`)
    })
