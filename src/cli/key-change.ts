import { Command } from 'commander'
import { Keys } from '../keys/life-cycle.ts'
import { actor, type Context } from './context.ts'
import { printJson, printMessage } from './output.ts'

export const pause = changes(
  'pause',
  'Paused',
  'pause a key: the very next request with it is refused, until it is resumed',
)
export const resume = changes('resume', 'Resumed', 'resume a paused key: the very next request with it is admitted')
export const revoke = changes('revoke', 'Revoked', 'revoke a key: the very next request with it is refused')

function changes(name: 'pause' | 'resume' | 'revoke', done: string, description: string) {
  return ({ withStore }: Context) =>
    new Command(name)
      .description(description)
      .argument('<id>', "the key's id, as 'vitrine key list' shows it")
      .option('--json', 'print the key as JSON')
      .addHelpText('after', `\nExamples:\n  vitrine key ${name} key_0123456789abcdef01`)
      .action(async (id: string, { json }: { json?: true }) => {
        const key = await withStore((store) => store.transaction((tx) => new Keys(tx, actor())[name](id)))
        if (json) return printJson(key)
        printMessage(`${done} ${key.id} ("${key.label}").`)
      })
}
