import { Command } from 'commander'
import { Keys } from '../keys/life-cycle.ts'
import { permissionsOf } from '../resources/define.ts'
import { workspaceOrThrow } from '../resources/workspace/records.ts'
import { actor, type Context } from './context.ts'
import { UsageError } from './errors.ts'
import { checkedLabel, checkedQuota, parseExpiry } from './key-options.ts'
import { OptionWithKnownValues } from './known-values.ts'
import { printMessage, printSecret } from './output.ts'

interface Options {
  workspace: string
  label: string
  permissions?: string
  expires?: string
  rateLimit?: string
  json?: true
}

export const command = ({ resources, withStore }: Context) => {
  const known = permissionsOf(resources)
  return new Command('create')
    .description('create a key and print it, this once')
    .requiredOption('--workspace <slug>', 'the workspace that the key can read')
    .requiredOption('--label <label>', 'the server, script or agent that will use it')
    .addOption(
      new OptionWithKnownValues('--permissions <list>', `comma-separated, from ${known.join(',')} (default: all)`, {
        values: known,
        isList: true,
      }),
    )
    .option('--expires <when>', 'a duration such as 90d, a date, or a date and time (default: never)')
    .option('--rate-limit <quota>', 'a custom quota, such as "100;w=60" (default: RATE_LIMIT)')
    .option('--json', 'print the key and its details as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  export VITRINE_KEY=$(vitrine key create --workspace northwind --label "nightly report")',
    )
    .action(async (options: Options) => {
      const wanted = {
        label: checkedLabel(options.label),
        permissions: options.permissions === undefined ? known : checkedPermissions(options.permissions, known),
        quota: options.rateLimit === undefined ? null : checkedQuota(options.rateLimit),
      }
      const expiry = options.expires === undefined ? undefined : parseExpiry(options.expires)
      const { token, key } = await withStore(async (store) => {
        const workspace = expiry && (await store.read((tx) => workspaceOrThrow(tx, options.workspace)))
        const expiresAt = expiry?.(workspace?.timezone ?? null) ?? null
        return store.transaction((tx) => new Keys(tx, actor()).create(options.workspace, { ...wanted, expiresAt }))
      })
      const advice = `revoke ${key.id} and create another`
      if (options.json) return printSecret(JSON.stringify({ key: token, ...key }), advice)
      printSecret(token, advice)
      printMessage(`Created ${key.id} ("${key.label}"). The key is shown only this once: store it as a secret.`)
    })
}

function checkedPermissions(list: string, known: readonly string[]): string[] {
  const wanted = list.split(',').map((permission) => permission.trim())
  const unknown = wanted.find((permission) => !known.includes(permission))
  if (unknown !== undefined)
    throw new UsageError(`--permissions: unknown permission ${JSON.stringify(unknown)}; choose from ${known.join(',')}`)
  return known.filter((permission) => wanted.includes(permission))
}
