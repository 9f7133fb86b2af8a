import { Command } from 'commander'
import { Keys, labelFault } from '../keys/life-cycle.ts'
import { parseQuota, QUOTA_FORM } from '../keys/quota.ts'
import { permissionsOf } from '../resources/define.ts'
import { actor, type Context } from './context.ts'
import { parseExpiry } from './duration.ts'
import { UsageError } from './errors.ts'
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
    .option('--permissions <list>', `comma-separated, from ${known.join(',')} (default: all)`)
    .option('--expires <when>', 'a duration such as 90d, or a date and time (default: never)')
    .option('--rate-limit <quota>', 'a custom quota, such as "100;w=60" (default: RATE_LIMIT)')
    .option('--json', 'print the key and its details as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  export VITRINE_KEY=$(vitrine key create --workspace northwind --label "nightly report")',
    )
    .action(async (options: Options) => {
      const wanted = {
        label: checkedLabel(options.label),
        permissions: options.permissions === undefined ? known : checkedPermissions(options.permissions, known),
        expiresAt: options.expires === undefined ? null : parseExpiry(options.expires, '--expires'),
        quota: options.rateLimit === undefined ? null : checkedQuota(options.rateLimit),
      }
      const { token, key } = await withStore((store) => new Keys(store, actor()).create(options.workspace, wanted))
      const advice = `revoke ${key.id} and create another`
      if (options.json) return printSecret(JSON.stringify({ key: token, ...key }), advice)
      printSecret(token, advice)
      printMessage(`Created ${key.id} ("${key.label}"). The key is shown only this once: store it as a secret.`)
    })
}

function checkedLabel(label: string): string {
  const trimmed = label.trim()
  const fault = labelFault(trimmed)
  if (fault !== undefined) throw new UsageError(`--label: ${fault}`)
  return trimmed
}

function checkedPermissions(list: string, known: readonly string[]): string[] {
  const wanted = list.split(',').map((permission) => permission.trim())
  const unknown = wanted.find((permission) => !known.includes(permission))
  if (unknown !== undefined)
    throw new UsageError(`--permissions: unknown permission ${JSON.stringify(unknown)}; choose from ${known.join(',')}`)
  return known.filter((permission) => wanted.includes(permission))
}

function checkedQuota(text: string) {
  const quota = parseQuota(text)
  if (quota === undefined) throw new UsageError(`--rate-limit: ${QUOTA_FORM}`)
  return quota
}
