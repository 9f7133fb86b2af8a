import { Command } from 'commander'
import { Keys, labelFault } from '../keys/life-cycle.ts'
import { parseQuota, QUOTA_FORM } from '../keys/quota.ts'
import { permissionsOf } from '../resources/index.ts'
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
    .description('make a key; the key alone goes to stdout, this once and never again')
    .requiredOption('--workspace <slug>', 'whose data the key opens')
    .requiredOption('--label <label>', 'which server, script or agent will use it')
    .option('--permissions <list>', `by commas, of ${known.join(',')} (all, if left out)`)
    .option('--expires <when>', 'a length of time such as 90d, or a date and time (never, if left out)')
    .option('--rate-limit <quota>', 'a quota of its own, such as "100;w=60" (RATE_LIMIT, if left out)')
    .option('--json', 'print the key and what is known of it as JSON')
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
      printMessage(
        `Made ${key.id} ("${key.label}"). This is the only time the key is shown: put it where its user keeps secrets.`,
      )
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
    throw new UsageError(`--permissions: there is no ${JSON.stringify(unknown)}; choose among ${known.join(',')}`)
  return known.filter((permission) => wanted.includes(permission))
}

function checkedQuota(text: string) {
  const quota = parseQuota(text)
  if (quota === undefined) throw new UsageError(`--rate-limit: ${QUOTA_FORM}`)
  return quota
}
