/**
 * Brings one workspace in line with the file: creates what is missing, changes what differs, and leaves the rest.
 *
 * Everything happens in the caller's transaction, through the functions that the other commands use, so that each change is checked
 * and audited like any other. Without a difference, nothing is written.
 */
import type { Transaction } from '../database/store.ts'
import type { KeySpec } from '../keys/key-spec.ts'
import { differingFields, Keys, type KeyUpdate } from '../keys/life-cycle.ts'
import { type KeyRecord, openKeys } from '../keys/records.ts'
import { isoOf } from '../lib/instant.ts'
import { UserError } from '../lib/user-error.ts'
import { addMember, removeMember } from '../members/members.ts'
import { membersOf } from '../members/records.ts'
import { findWorkspace, type WorkspaceRecord } from '../workspaces/records.ts'
import { createWorkspace, lockSlug, updateWorkspace } from '../workspaces/workspaces.ts'
import type { DesiredWorkspace } from './file.ts'

export interface ApplyOptions {
  actor: string
  /** Applies to keys for which the file names none. */
  permissions: string[]
  /** Also removes members and revokes keys that the file's lists leave out. */
  prune: boolean
}

export interface ApplyResult {
  result: 'created' | 'changed' | 'unchanged'
  /** A phrase for each change, such as `added ana@example.com as owner`. */
  changes: string[]
  tokens: { workspace: string; label: string; id: string; key: string }[]
}

interface Run extends ApplyOptions {
  tx: Transaction
  desired: DesiredWorkspace
  changes: string[]
}

export async function applyWorkspace(
  tx: Transaction,
  desired: DesiredWorkspace,
  options: ApplyOptions,
): Promise<ApplyResult> {
  await lockSlug(tx, desired.slug)
  const changes: string[] = []
  const run: Run = { ...options, tx, desired, changes }
  const before = await findWorkspace(tx, desired.slug)
  const workspace = await applyDetails(run, before)
  await applyMembers(run, workspace)
  const tokens = await applyKeys(run, workspace)
  const result = before === undefined ? 'created' : changes.length === 0 ? 'unchanged' : 'changed'
  return { result, changes, tokens }
}

async function applyDetails(run: Run, before: WorkspaceRecord | undefined): Promise<WorkspaceRecord> {
  const { tx, desired, actor, changes } = run
  const { slug, details } = desired
  if (before !== undefined) {
    const { workspace, changed } = await updateWorkspace(tx, slug, details, actor)
    changes.push(...changed.map((field) => `changed ${field}`))
    return workspace
  }
  const { name } = details
  if (name === undefined) throw new UserError('there is no such workspace yet, and creating it needs a "name"')
  const created = await createWorkspace(tx, { ...details, slug, name }, actor)
  changes.push('created the workspace')
  return created
}

async function applyMembers(run: Run, { id, slug }: WorkspaceRecord): Promise<void> {
  const { tx, actor, prune, changes } = run
  const { members } = run.desired
  if (members === undefined) return
  // Owners first: the last owner can only step down once there is another.
  const ownersFirst = members.toSorted((a, b) => Number(b.role === 'owner') - Number(a.role === 'owner'))
  for (const { email, role } of ownersFirst) {
    const { before } = await addMember(tx, slug, { email, role }, actor)
    if (before === null) changes.push(`added ${email} as ${role}`)
    else if (before !== role) changes.push(`changed ${email} from ${before} to ${role}`)
  }
  if (!prune) return
  for (const { email } of await membersOf(tx, id)) {
    if (members.some((member) => member.email === email)) continue
    await removeMember(tx, slug, email, actor)
    changes.push(`removed ${email}`)
  }
}

async function applyKeys(run: Run, { id, slug, timezone }: WorkspaceRecord): Promise<ApplyResult['tokens']> {
  const { tx, actor, permissions, prune, changes } = run
  const specs = run.desired.keys
  if (specs === undefined) return []
  const keys = new Keys(tx, actor)
  const open = await openKeys(tx, id)
  const tokens: ApplyResult['tokens'] = []
  for (const spec of specs) {
    const { label } = spec
    const key = open.findLast((each) => each.label === label)
    const update = updateFor(spec, key, timezone, tx.nowMs)
    if (update === undefined) continue
    if (key === undefined) {
      const defaults = { permissions, quota: null, expiresAt: null }
      const created = await keys.create(slug, { ...defaults, ...update, label })
      tokens.push({ workspace: slug, label, id: created.key.id, key: created.token })
      changes.push(`created the key "${label}"`)
    } else if (differingFields(key, update).length > 0) {
      const { changed } = await keys.update(key.id, update)
      changes.push(...changed.map((field) => `changed ${field} of the key "${label}"`))
    }
  }
  if (!prune) return tokens
  for (const key of open) {
    if (specs.some(({ label }) => label === key.label)) continue
    await keys.revoke(key.id)
    changes.push(`revoked the key "${key.label}"`)
  }
  return tokens
}

/** Undefined if the key is missing and was to expire before now: it is not created again. */
function updateFor(
  { expires, label: _, ...update }: KeySpec,
  key: KeyRecord | undefined,
  timezone: string | null,
  nowMs: number,
): KeyUpdate | undefined {
  if (expires === undefined) return update
  if (expires === null) return { ...update, expiresAt: null }
  const at = expires.at(timezone, nowMs)
  // A duration counts from the key's creation, so it does not apply to an existing key.
  if (key !== undefined && (expires.kind === 'duration' || at <= nowMs)) return update
  return at <= nowMs ? undefined : { ...update, expiresAt: isoOf(at) }
}
