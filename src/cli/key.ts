import { Option } from 'commander'
import type { Quota } from '../database/store.ts'
import { endOfDayIn } from '../database/timezones.ts'
import { Keys, type KeyUpdate, labelError } from '../keys/life-cycle.ts'
import { formatQuota, parseQuota, QUOTA_FORM } from '../keys/quota.ts'
import { endOf } from '../keys/state.ts'
import { NETWORKS_FORM, parseNetworks } from '../lib/cidr.ts'
import { toInstant } from '../lib/instant.ts'
import { nearest } from '../lib/nearest.ts'
import { defaultPermissions, permissionsOf } from '../resources/define.ts'
import { findWorkspaceById, workspaceOrThrow } from '../resources/workspace/records.ts'
import { Command } from './command.ts'
import { actor, type Context } from './context.ts'
import { UsageError } from './errors.ts'
import { keyOrThrow, list, show } from './key-show.ts'
import { printMessage, printResult, printSecret } from './output.ts'
import { purge } from './retention.ts'
import { parseDuration } from './usage.ts'

export const command = (context: Context) =>
  new Command('key')
    .description('create, list, show, change, pause, rotate and revoke API keys')
    .addCommand(create(context))
    .addCommand(list(context))
    .addCommand(show(context))
    .addCommand(update(context))
    .addCommand(change(context, 'pause', 'pause a key: requests with it are refused immediately, until it is resumed'))
    .addCommand(change(context, 'resume', 'resume a paused key: requests with it are accepted immediately'))
    .addCommand(rotate(context))
    .addCommand(cancelRotation(context))
    .addCommand(change(context, 'revoke', 'revoke a key: requests with it are refused immediately'))
    .addCommand(purge(context))

interface CreateOptions {
  workspace: string
  label: string
  permissions?: string
  expires?: string
  rateLimit?: string
  network?: string
  json?: true
}

const create = ({ resources, failure, withStore }: Context) => {
  const known = permissionsOf(resources)
  const defaults = defaultPermissions(resources)
  return new Command('create')
    .description('create a key and print it once')
    .requiredOption('--workspace <slug>', 'the workspace that the key can read')
    .requiredOption('--label <label>', 'the server, script or agent that will use it')
    .addOption(permissionsOption(known, `comma-separated (default: ${defaults.join(',')})`))
    .option('--expires <when>', 'a duration such as 90d, a date, or a date and time (default: never)')
    .option('--rate-limit <quota>', 'a custom quota, such as "100;w=60" (default: RATE_LIMIT)')
    .option(
      '--network <list>',
      'comma-separated networks that it can be used from, such as 203.0.113.0/24 (default: everywhere)',
    )
    .option('--json', 'print the key and its details as JSON')
    .notes('\nExamples:\n  export VITRINE_KEY=$(vitrine key create --workspace northwind --label "nightly report")')
    .action(async ({ workspace, label, permissions, expires, rateLimit, network, json }: CreateOptions) => {
      // Otherwise, permissions of resources that could not be loaded would be unknown.
      if (failure !== undefined) throw failure
      const wanted = {
        label: checkedLabel(label),
        permissions: permissions === undefined ? defaults : checkedPermissions(permissions, known),
        quota: rateLimit === undefined ? null : checkedQuota(rateLimit),
        networks: network === undefined ? null : checkedNetworks(network),
      }
      const expiry = expires === undefined ? undefined : parseExpiry(expires)
      const { token, key } = await withStore(async (store) => {
        const { timezone } = await store.read((tx) => workspaceOrThrow(tx, workspace))
        const expiresAt = expiry?.(timezone) ?? null
        return store.transaction((tx) => new Keys(tx, actor()).create(workspace, { ...wanted, expiresAt }))
      })
      const message = `Created ${key.id} ("${key.label}"). The key is shown only once: store it as a secret.`
      printToken(json, { key: token, ...key }, message)
    })
}

function printToken(
  json: true | undefined,
  created: { key: string; id: string; replaced?: object },
  message: string,
): void {
  printSecret(json ? JSON.stringify(created) : created.key, `revoke ${created.id} and create another`)
  if (!json) printMessage(message)
}

type UpdateOptions = Partial<Omit<CreateOptions, 'workspace'>>

const update = ({ resources, failure, withStore }: Context) => {
  const known = permissionsOf(resources)
  return new Command('update')
    .description(
      'change the label, permissions, expiry, rate limit or networks of a key; options that are left out stay unchanged',
    )
    .argument('<id>', "the key's id, as 'vitrine key list' shows it")
    .option('--label <label>', 'the server, script or agent that uses it')
    .addOption(permissionsOption(known, 'comma-separated; replaces those it has'))
    .option('--expires <when>', 'a duration such as 90d, a date, a date and time, or never')
    .option('--rate-limit <quota>', 'a custom quota, such as "100;w=60", or default')
    .option(
      '--network <list>',
      'comma-separated networks that it can be used from, such as 203.0.113.0/24, or everywhere',
    )
    .option('--json', 'print the key as JSON')
    .examples(
      'key update key_0123456789abcdef01 --label "weekly report" --expires never',
      'key update key_0123456789abcdef01 --network 203.0.113.0/24,2001:db8::/32',
    )
    .action(async (id: string, { json, ...options }: UpdateOptions) => {
      const { label, permissions, expires, rateLimit, network } = options
      if (Object.keys(options).length === 0)
        throw new UsageError('nothing to change: add --label, --permissions, --expires, --rate-limit or --network')
      if (permissions !== undefined && failure !== undefined) throw failure
      const wanted: KeyUpdate = {
        ...(label !== undefined && { label: checkedLabel(label) }),
        ...(permissions !== undefined && { permissions: checkedPermissions(permissions, known) }),
        ...(network !== undefined && { networks: network === 'everywhere' ? null : checkedNetworks(network) }),
        ...(rateLimit !== undefined && { quota: rateLimit === 'default' ? null : checkedQuota(rateLimit) }),
      }
      const expiry = expires === undefined ? undefined : expires === 'never' ? () => null : parseExpiry(expires)
      const { key, changed } = await withStore(async (store) => {
        const workspace = await store.read(async (tx) => findWorkspaceById(tx, (await keyOrThrow(tx, id)).workspaceId))
        if (expiry !== undefined) wanted.expiresAt = expiry(workspace?.timezone ?? null)
        return store.transaction((tx) => new Keys(tx, actor()).update(id, wanted))
      })
      const text = {
        label: `label: ${key.label}`,
        permissions: `permissions: ${key.permissions.join(',')}`,
        networks: `networks: ${key.networks?.join(',') ?? 'everywhere'}`,
        quota: `rate limit: ${key.quota === null ? 'default' : formatQuota(key.quota)}`,
        expiresAt: `expires: ${key.expiresAt ?? 'never'}`,
      }
      const changes = changed.map((field) => text[field]).join(', ')
      const unchanged = `${key.id} already has these values; nothing was changed.`
      printResult(json, key, changed.length === 0 ? unchanged : `Changed ${key.id}: ${changes}.`)
    })
}

const changed = { pause: 'Paused', resume: 'Resumed', revoke: 'Revoked' }

const change = ({ withStore }: Context, name: keyof typeof changed, description: string) =>
  new Command(name)
    .description(description)
    .argument('<id>', "the key's id, as 'vitrine key list' shows it")
    .option('--json', 'print the key as JSON')
    .examples(`key ${name} key_0123456789abcdef01`)
    .action(async (id: string, { json }: { json?: true }) => {
      const key = await withStore((store) => store.transaction((tx) => new Keys(tx, actor())[name](id)))
      printResult(json, key, `${changed[name]} ${key.id} ("${key.label}").`)
    })

const rotate = ({ withStore }: Context) =>
  new Command('rotate')
    .description('create a replacement with the same permissions and print it once')
    .argument('<id>', "the key's id, as 'vitrine key list' shows it")
    .option('--overlap <time>', 'how long the old key still works; 0 revokes it immediately', '24h')
    .option('--json', 'print the new key, and the details of both, as JSON')
    .examples('key rotate key_0123456789abcdef01', 'key rotate key_0123456789abcdef01 --overlap 0')
    .action(async (id: string, { overlap, json }: { overlap: string; json?: true }) => {
      const overlapMs = parseDuration(overlap, '--overlap')
      const { token, key, replaced } = await withStore((store) =>
        store.transaction((tx) => new Keys(tx, actor()).rotate(id, overlapMs)),
      )
      const until = replaced.revokedAt === null ? `works until ${endOf(replaced)}` : 'is revoked'
      const message = `Created ${key.id} to replace ${replaced.id}, which ${until}.`
      printToken(json, { key: token, ...key, replaced }, message)
    })

const cancelRotation = ({ withStore }: Context) =>
  new Command('cancel-rotation')
    .description('keep the old key of a rotation and revoke its replacements')
    .argument('<id>', "the old key's id, as 'vitrine key list' shows it")
    .option('--json', 'print the key and the revoked replacements as JSON')
    .examples('key cancel-rotation key_0123456789abcdef01')
    .action(async (id: string, { json }: { json?: true }) => {
      const { key, revoked } = await withStore((store) =>
        store.transaction((tx) => new Keys(tx, actor()).cancelRotation(id)),
      )
      const end = endOf(key)
      const rest = revoked.length === 0 ? '' : ` Revoked ${revoked.map((each) => each.id).join(', ')}.`
      const message = `${key.id} ("${key.label}") ${end === null ? 'keeps working' : `works until ${end}`}.${rest}`
      printResult(json, { ...key, revoked }, message)
    })

function permissionsOption(known: readonly string[], description: string): Option {
  const option = new Option('--permissions <list>', description)
  option.argChoices = [...known]
  return option
}

function checkedLabel(label: string): string {
  const trimmed = label.trim()
  const fault = labelError(trimmed)
  if (fault !== undefined) throw new UsageError(`--label: ${fault}`)
  return trimmed
}

function checkedPermissions(list: string, known: readonly string[]): string[] {
  const wanted = list.split(',').map((permission) => permission.trim())
  const unknown = wanted.find((permission) => !known.includes(permission))
  if (unknown !== undefined)
    throw new UsageError(
      `--permissions: unknown permission ${JSON.stringify(unknown)}; did you mean ${nearest(unknown, known)[0]}? 'vitrine key create --help' lists all`,
    )
  return known.filter((permission) => wanted.includes(permission))
}

function checkedQuota(text: string): Quota {
  const quota = parseQuota(text)
  if (quota === undefined) throw new UsageError(`--rate-limit: ${QUOTA_FORM}`)
  return quota
}

function checkedNetworks(text: string): string[] {
  const networks = parseNetworks(text)
  if (!networks) throw new UsageError(`--network: ${NETWORKS_FORM}`)
  return networks
}

/** A date without a time means the end of that day in the workspace's timezone, which is known only later. */
function parseExpiry(text: string): (timezone: string | null) => string {
  const inFuture = (ms: number) => {
    if (ms <= Date.now()) throw new UsageError('--expires: must be in the future')
    return new Date(ms).toISOString()
  }
  const instant = toInstant(text)
  if (instant === undefined && endOfDayIn(null, text) !== undefined)
    return (timezone) => inFuture(endOfDayIn(timezone, text) ?? 0)
  const end = inFuture(instant === undefined ? Date.now() + parseDuration(text, '--expires') : Date.parse(instant))
  return () => end
}
