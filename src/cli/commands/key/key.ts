import { Option } from 'commander'
import { type ExpirySpec, parseKeySpec } from '../../../keys/key-spec.ts'
import { Keys, type NewKey, unreadLimit } from '../../../keys/life-cycle.ts'
import { formatOnly } from '../../../keys/only.ts'
import { formatQuota } from '../../../keys/quota.ts'
import { endOf } from '../../../keys/state.ts'
import { isoOf } from '../../../lib/instant.ts'
import { defaultPermissions, permissionsOf, publishedOf, type Resource } from '../../../resources/define.ts'
import { findWorkspaceById, workspaceOrThrow } from '../../../workspaces/records.ts'
import { Command } from '../../command.ts'
import { actor, type Context } from '../../context.ts'
import { UsageError } from '../../errors.ts'
import { isJson, printMessage, printResult, printSecret, toJson } from '../../terminal/output.ts'
import { parseDuration } from '../../terminal/usage.ts'
import { purge } from '../retention.ts'
import { findCommand } from './find.ts'
import { log } from './log.ts'
import { keyOrThrow, list, show } from './show.ts'

export const command = (context: Context) =>
  new Command(
    'key',
    'create, list, show, find, change, pause, rotate and revoke API keys, and show their requests',
  ).subcommands(
    ...[create, list, show, findCommand, log, update].map((command) => command(context)),
    change(context, 'pause', 'pause a key: requests with it are refused immediately, until it is resumed'),
    change(context, 'resume', 'resume a paused key: requests with it are accepted immediately'),
    ...[rotate, cancelRotation].map((command) => command(context)),
    change(context, 'revoke', 'revoke a key: requests with it are refused immediately'),
    purge(context),
  )

interface CreateOptions {
  workspace: string
  label: string
  permissions?: string
  expires?: string
  rateLimit?: string
  network?: string
  only?: string[]
}

const create = ({ resources, requireResources, write }: Context) => {
  const allPermissions = permissionsOf(resources)
  const defaults = defaultPermissions(resources)
  return new Command('create', 'create a key and print it once')
    .requiredOption('--workspace <slug>', 'the workspace that the key can read')
    .requiredOption('--label <label>', 'the server, script or agent that will use it')
    .addOption(permissionsOption(allPermissions, `comma-separated (default: ${defaults.join(',')})`))
    .option('--expires <when>', 'a duration such as 90d, a date, or a date and time (default: never)')
    .option('--rate-limit <quota>', 'a custom quota, such as "100;w=60" (default: RATE_LIMIT)')
    .option(
      '--network <list>',
      'comma-separated networks that it can be used from, such as 203.0.113.0/24 (default: everywhere)',
    )
    .addOption(onlyOption('everything'))
    .notes('\nExamples:\n  export VITRINE_KEY=$(vitrine key create --workspace northwind --label "nightly report")')
    .withResult(async (options: CreateOptions) => {
      const { workspace, label } = options
      // Otherwise, permissions of resources that could not be loaded would be unknown.
      requireResources()
      const { update, expiry } = readOptions(options, publishedOf(resources))
      const wanted = { label, permissions: defaults, quota: null, ...update }
      checkOnly(wanted)
      const { token, key } = await write(async (tx) => {
        const { timezone } = await workspaceOrThrow(tx, workspace)
        const expiresAt = expiry ? inFuture(expiry, timezone, tx.nowMs) : null
        return new Keys(tx, actor()).create(workspace, { ...wanted, expiresAt })
      })
      const message = `Created ${key.id} ("${key.label}"). The key is shown only once: store it as a secret.`
      printToken({ key: token, ...key }, message)
    })
}

function printToken(created: { key: string; id: string; replaced?: object }, message: string): void {
  printSecret(isJson() ? toJson(created) : created.key, `revoke ${created.id} and create another`)
  if (!isJson()) printMessage(message)
}

const update = ({ resources, requireResources, write }: Context) => {
  const allPermissions = permissionsOf(resources)
  return new Command('update')
    .description(
      'change the label, permissions, expiry, rate limit, networks or rows of a key; options that are left out stay unchanged',
    )
    .argument('<id>', "the key's id, as 'vitrine key list' shows it")
    .option('--label <label>', 'the server, script or agent that uses it')
    .addOption(permissionsOption(allPermissions, 'comma-separated; replaces those it has'))
    .option('--expires <when>', 'a duration such as 90d, a date, a date and time, or never')
    .option('--rate-limit <quota>', 'a custom quota, such as "100;w=60", or default')
    .option(
      '--network <list>',
      'comma-separated networks that it can be used from, such as 203.0.113.0/24, or everywhere',
    )
    .addOption(onlyOption('unchanged'))
    .examples(
      'key update key_0123456789abcdef01 --label "weekly report" --expires never',
      'key update key_0123456789abcdef01 --network 203.0.113.0/24,2001:db8::/32',
    )
    .withResult(async (id: string, options: Partial<CreateOptions>) => {
      if (Object.values(options).flat().length === 0)
        throw new UsageError(
          'nothing to change: add --label, --permissions, --expires, --rate-limit, --network or --only',
        )
      if (options.permissions !== undefined) requireResources()
      const { update, expiry } = readOptions(options, publishedOf(resources))
      const { key, changed } = await write(async (tx) => {
        const before = await keyOrThrow(tx, id)
        checkOnly({ ...before, ...update })
        const workspace = await findWorkspaceById(tx, before.workspaceId)
        const expiresAt = expiry && inFuture(expiry, workspace?.timezone ?? null, tx.nowMs)
        return new Keys(tx, actor()).update(id, { ...update, ...(expiresAt !== undefined && { expiresAt }) })
      })
      const text = {
        label: `label: ${key.label}`,
        permissions: `permissions: ${key.permissions.join(',')}`,
        networks: `networks: ${key.networks?.join(',') ?? 'everywhere'}`,
        only: `only: ${formatOnly(key.only)}`,
        quota: `rate limit: ${key.quota === null ? 'default' : formatQuota(key.quota)}`,
        expiresAt: `expires: ${key.expiresAt ?? 'never'}`,
      }
      const changes = changed.map((field) => text[field]).join(', ')
      const unchanged = `${key.id} already has these values; nothing was changed.`
      printResult(key, changed.length === 0 ? unchanged : `Changed ${key.id}: ${changes}.`)
    })
}

const changed = { pause: 'Paused', resume: 'Resumed', revoke: 'Revoked' }

const change = ({ write }: Context, name: keyof typeof changed, description: string) =>
  new Command(name, description)
    .argument('<id>', "the key's id, as 'vitrine key list' shows it")
    .examples(`key ${name} key_0123456789abcdef01`)
    .withResult(async (id: string) => {
      const key = await write((tx) => new Keys(tx, actor())[name](id))
      printResult(key, `${changed[name]} ${key.id} ("${key.label}").`)
    })

const rotate = ({ write }: Context) =>
  new Command('rotate', 'create a replacement with the same permissions and print it once')
    .argument('<id>', "the key's id, as 'vitrine key list' shows it")
    .option('--overlap <time>', 'how long the old key still works; 0 revokes it immediately', '24h')
    .examples('key rotate key_0123456789abcdef01', 'key rotate key_0123456789abcdef01 --overlap 0')
    .withResult(async (id: string, { overlap }: { overlap: string }) => {
      const overlapMs = parseDuration(overlap, '--overlap')
      const { token, key, replaced } = await write((tx) => new Keys(tx, actor()).rotate(id, overlapMs))
      const until = replaced.revokedAt === null ? `works until ${endOf(replaced)}` : 'is revoked'
      const message = `Created ${key.id} to replace ${replaced.id}, which ${until}.`
      printToken({ key: token, ...key, replaced }, message)
    })

const cancelRotation = ({ write }: Context) =>
  new Command('cancel-rotation', 'keep the old key of a rotation and revoke its replacements')
    .argument('<id>', "the old key's id, as 'vitrine key list' shows it")
    .examples('key cancel-rotation key_0123456789abcdef01')
    .withResult(async (id: string) => {
      const { key, revoked } = await write((tx) => new Keys(tx, actor()).cancelRotation(id))
      const end = endOf(key)
      const rest = revoked.length === 0 ? '' : ` Revoked ${revoked.map((each) => each.id).join(', ')}.`
      const message = `${key.id} ("${key.label}") ${end === null ? 'keeps working' : `works until ${end}`}.${rest}`
      printResult({ ...key, revoked }, message)
    })

function permissionsOption(allPermissions: readonly string[], description: string): Option {
  const option = new Option('--permissions <list>', description)
  option.argChoices = [...allPermissions]
  return option
}

const onlyOption = (unless: string): Option =>
  new Option(
    '--only <limit>',
    'the only rows that it sees of a list, as LIST.FIELD=VALUE,… such as tasks.bookKey=home-textiles; once for each list, or everything',
  )
    .default([], unless)
    .argParser((limit, before: string[]) => [...before, limit])

/** Throws the first fault and names its option. */
function readOptions(options: Partial<CreateOptions>, readable: readonly Resource[]) {
  const { label, permissions, expires, rateLimit, network, only = [] } = options
  const list = permissions?.split(',').map((permission) => permission.trim())
  const fields = {
    label,
    permissions: list,
    expires,
    rateLimit,
    networks: network,
    only: only.length === 0 ? undefined : only,
  }
  const { spec, faults } = parseKeySpec(fields, readable)
  for (const { field, problem } of faults) {
    const option = { rateLimit: 'rate-limit', networks: 'network' }[field] ?? field
    const advice = field === 'permissions' ? " 'vitrine key create --help' lists all" : ''
    throw new UsageError(`--${option}: ${problem}${advice}`)
  }
  const { expires: expiry, ...update } = spec
  // Only a date needs the timezone, which is known once the workspace is found.
  if (expiry && expiry.kind !== 'date') inFuture(expiry, null, Date.now())
  return { update, expiry }
}

function checkOnly(key: Pick<NewKey, 'permissions' | 'only'>): void {
  const problem = unreadLimit(key)
  if (problem !== undefined) throw new UsageError(`--only: ${problem}`)
}

function inFuture(expiry: ExpirySpec, timezone: string | null, nowMs: number): string {
  const at = expiry.at(timezone, nowMs)
  if (at <= nowMs) throw new UsageError('--expires: must be in the future')
  return isoOf(at)
}
