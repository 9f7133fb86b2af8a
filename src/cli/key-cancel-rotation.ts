import { Command } from 'commander'
import { Keys } from '../keys/life-cycle.ts'
import { endOf } from '../keys/state.ts'
import { actor, type Context } from './context.ts'
import { printJson, printMessage } from './output.ts'

export const command = ({ withStore }: Context) =>
  new Command('cancel-rotation')
    .description('keep the old key of a rotation, and revoke the keys that were to replace it')
    .argument('<id>', "the old key's id, as 'vitrine key list' shows it")
    .option('--json', 'print the key, and those that were revoked, as JSON')
    .addHelpText('after', '\nExamples:\n  vitrine key cancel-rotation key_0123456789abcdef01')
    .action(async (id: string, { json }: { json?: true }) => {
      const { key, revoked } = await withStore((store) =>
        store.transaction((tx) => new Keys(tx, actor()).cancelRotation(id)),
      )
      if (json) return printJson({ ...key, revoked })
      const end = endOf(key)
      const ids = revoked.map((each) => each.id).join(', ')
      const rest = revoked.length === 0 ? '' : ` Revoked ${ids}.`
      printMessage(`${key.id} ("${key.label}") works ${end === null ? 'on' : `until ${end}`}.${rest}`)
    })
