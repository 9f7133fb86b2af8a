import { Command } from 'commander'
import { Keys } from '../keys/life-cycle.ts'
import { endOf } from '../keys/state.ts'
import { actor, type Context } from './context.ts'
import { create, update } from './key-edit.ts'
import { command as list } from './key-list.ts'
import { command as show } from './key-show.ts'
import { printMessage, printResult, printSecret } from './output.ts'
import { purge } from './retention.ts'
import { examples, parseDuration } from './usage.ts'

export const command = (context: Context) =>
  new Command('key')
    .description('create, list, show, change, pause, rotate and revoke API keys')
    .addCommand(create(context))
    .addCommand(list(context))
    .addCommand(show(context))
    .addCommand(update(context))
    .addCommand(change(context, 'pause', 'pause a key: the very next request with it is refused, until it is resumed'))
    .addCommand(change(context, 'resume', 'resume a paused key: the very next request with it is admitted'))
    .addCommand(rotate(context))
    .addCommand(cancelRotation(context))
    .addCommand(change(context, 'revoke', 'revoke a key: the very next request with it is refused'))
    .addCommand(purge(context))

const changed = { pause: 'Paused', resume: 'Resumed', revoke: 'Revoked' }

const change = ({ withStore }: Context, name: keyof typeof changed, description: string) =>
  new Command(name)
    .description(description)
    .argument('<id>', "the key's id, as 'vitrine key list' shows it")
    .option('--json', 'print the key as JSON')
    .addHelpText('after', examples(`key ${name} key_0123456789abcdef01`))
    .action(async (id: string, { json }: { json?: true }) => {
      const key = await withStore((store) => store.transaction((tx) => new Keys(tx, actor())[name](id)))
      printResult(json, key, `${changed[name]} ${key.id} ("${key.label}").`)
    })

const rotate = ({ withStore }: Context) =>
  new Command('rotate')
    .description('create a replacement with the same permissions and print it, this once')
    .argument('<id>', "the key's id, as 'vitrine key list' shows it")
    .option('--overlap <time>', 'how long the old key still works; 0 revokes it immediately', '24h')
    .option('--json', 'print the new key, and the details of both, as JSON')
    .addHelpText(
      'after',
      examples('key rotate key_0123456789abcdef01', 'key rotate key_0123456789abcdef01 --overlap 0'),
    )
    .action(async (id: string, { overlap, json }: { overlap: string; json?: true }) => {
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

const cancelRotation = ({ withStore }: Context) =>
  new Command('cancel-rotation')
    .description('keep the old key of a rotation, and revoke the keys that were to replace it')
    .argument('<id>', "the old key's id, as 'vitrine key list' shows it")
    .option('--json', 'print the key, and those that were revoked, as JSON')
    .addHelpText('after', examples('key cancel-rotation key_0123456789abcdef01'))
    .action(async (id: string, { json }: { json?: true }) => {
      const { key, revoked } = await withStore((store) =>
        store.transaction((tx) => new Keys(tx, actor()).cancelRotation(id)),
      )
      const end = endOf(key)
      const ids = revoked.map((each) => each.id).join(', ')
      const rest = revoked.length === 0 ? '' : ` Revoked ${ids}.`
      const message = `${key.id} ("${key.label}") works ${end === null ? 'on' : `until ${end}`}.${rest}`
      printResult(json, { ...key, revoked }, message)
    })
