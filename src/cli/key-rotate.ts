import { Command } from 'commander'
import { Keys } from '../keys/life-cycle.ts'
import { endOf } from '../keys/state.ts'
import { actor, type Context } from './context.ts'
import { parseDuration } from './duration.ts'
import { printMessage, printSecret } from './output.ts'

interface Options {
  overlap: string
  json?: true
}

export const command = ({ withStore }: Context) =>
  new Command('rotate')
    .description('create a replacement with the same permissions and print it, this once')
    .argument('<id>', "the key's id, as 'vitrine key list' shows it")
    .option('--overlap <time>', 'how long the old key still works; 0 revokes it immediately', '24h')
    .option('--json', 'print the new key, and the details of both, as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  vitrine key rotate key_0123456789abcdef01\n  vitrine key rotate key_0123456789abcdef01 --overlap 0',
    )
    .action(async (id: string, { overlap, json }: Options) => {
      const overlapMs = parseDuration(overlap, '--overlap')
      const { token, key, replaced } = await withStore((store) =>
        store.transaction((tx) => new Keys(tx, actor()).rotate(id, overlapMs)),
      )
      const advice = `revoke ${key.id} and create another`
      if (json) return printSecret(JSON.stringify({ key: token, ...key, replaced }), advice)
      printSecret(token, advice)
      const until = replaced.revokedAt === null ? `works until ${endOf(replaced)}` : 'is revoked'
      printMessage(`Created ${key.id} to replace ${replaced.id}, which ${until}.`)
    })
