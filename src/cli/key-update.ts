import { Command } from 'commander'
import { Keys, type KeyUpdate } from '../keys/life-cycle.ts'
import { formatQuota } from '../keys/quota.ts'
import { findWorkspaceById } from '../resources/workspace/records.ts'
import { actor, type Context } from './context.ts'
import { UsageError } from './errors.ts'
import { checkedLabel, checkedQuota, keyOrThrow, parseExpiry } from './key-options.ts'
import { printJson, printMessage } from './output.ts'

interface Options {
  label?: string
  expires?: string
  rateLimit?: string
  json?: true
}

export const command = ({ withStore }: Context) =>
  new Command('update')
    .description('change the label, expiry or rate limit of a key; what is not given stays as it is')
    .argument('<id>', "the key's id, as 'vitrine key list' shows it")
    .option('--label <label>', 'the server, script or agent that uses it')
    .option('--expires <when>', 'a duration such as 90d, a date, a date and time, or never')
    .option('--rate-limit <quota>', 'a custom quota, such as "100;w=60", or default')
    .option('--json', 'print the key as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  vitrine key update key_0123456789abcdef01 --label "weekly report" --expires never',
    )
    .action(async (id: string, { label, expires, rateLimit, json }: Options) => {
      if (label === undefined && expires === undefined && rateLimit === undefined)
        throw new UsageError('give what to change: --label, --expires or --rate-limit')
      const wanted: KeyUpdate = {
        ...(label !== undefined && { label: checkedLabel(label) }),
        ...(rateLimit !== undefined && { quota: rateLimit === 'default' ? null : checkedQuota(rateLimit) }),
      }
      const expiry = expires === undefined || expires === 'never' ? null : parseExpiry(expires)
      const { key, changed } = await withStore(async (store) => {
        if (expires !== undefined) {
          const timezone = await store.read(async (tx) => {
            const { workspaceId } = await keyOrThrow(tx, id)
            return (await findWorkspaceById(tx, workspaceId))?.timezone ?? null
          })
          wanted.expiresAt = expiry?.(timezone) ?? null
        }
        return store.transaction((tx) => new Keys(tx, actor()).update(id, wanted))
      })
      if (json) return printJson(key)
      const text = {
        label: `label: ${key.label}`,
        quota: `rate limit: ${key.quota === null ? 'default' : formatQuota(key.quota)}`,
        expiresAt: `expires: ${key.expiresAt ?? 'never'}`,
      }
      printMessage(
        changed.length === 0
          ? `${key.id} has these values already; nothing was changed.`
          : `Changed ${key.id}: ${changed.map((field) => text[field]).join(', ')}.`,
      )
    })
