/**
 * src/workspaces: the workspaces that everything else belongs to.
 *
 *   workspaces.ts      creates, updates, archives and restores them, and checks what people enter
 *   records.ts         the statements, which also find deleted workspaces by what they left
 *   iso-codes.ts       the codes of currencies and countries
 *   timezone-aliases.ts  how aliases of timezones are spelled
 *
 * A workspace has an id, by which all other records refer to it; a slug, by which people do; a name; and defaults for its clients:
 * timezone, currency and country. While it is archived, its keys get 404 from /workspace and no rows, but nothing is deleted.
 * src/provisioning deletes workspaces, and erases what deleted ones leave: keys and the audit log.
 *
 * Invariants:
 * - Neither the id nor the slug changes. A new workspace with an old slug has another id, so old keys do not open it.
 * - A change and its audit entry are in one transaction, which fails if the workspace was changed at the same time.
 * - A timezone is spelled as in the IANA database, because clients may compare names case-sensitively.
 */
import { randomBytes } from 'node:crypto'
import { type Actor, appendAudit } from '../audit/log.ts'
import type { Transaction } from '../database/store.ts'
import { isoOf } from '../lib/instant.ts'
import { canonicalZoneName } from '../lib/local-dates.ts'
import { nameError } from '../lib/plain-text.ts'
import { InvalidValueError, UserError } from '../lib/user-error.ts'
import { countryCodes, currencyCodes } from './iso-codes.ts'
import {
  findWorkspace,
  insertWorkspace,
  setArchivedAt,
  updateColumns,
  type WorkspaceChanges,
  type WorkspaceRecord,
  workspaceOrThrow,
} from './records.ts'
import { spelledAlias } from './timezone-aliases.ts'

interface WorkspaceDetails extends WorkspaceUpdate {
  name: string
  slug: string
}

export const NAME_MAX = 200
const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

export async function createWorkspace(
  tx: Transaction,
  details: WorkspaceDetails,
  actor: string,
  now = isoOf(tx.nowMs),
): Promise<WorkspaceRecord> {
  const id = `ws_${randomBytes(9).toString('hex')}`
  const workspace: WorkspaceRecord = { id, ...checkedDetails(details), createdAt: now, archivedAt: null }
  const { name, slug } = workspace
  await lockSlug(tx, slug)
  if ((await findWorkspace(tx, slug)) !== undefined)
    throw new UserError(`a workspace with the slug ${slug} already exists; choose another`)
  await insertWorkspace(tx, workspace)
  const entry = { at: now, workspaceId: id, actor, action: 'workspace.created', subject: id }
  await appendAudit(tx, { ...entry, detail: { name, slug } })
  return workspace
}

/** Two programs may look for a workspace, or for something in it, at the same time, and create it if it is missing. */
export const lockSlug = (tx: Transaction, slug: string): Promise<void> => tx.lock(`workspace ${slug}`)

export function checkedDetails({ slug, ...details }: WorkspaceDetails) {
  if (!SLUG.test(slug))
    throw new InvalidValueError(
      'the slug must be 1 to 63 lower-case letters, digits and dashes, with no dash at either end',
    )
  const name = checkedName(details.name)
  return { slug, timezone: null, currencyCode: null, countryCode: null, ...checkedUpdate(details), name }
}

/** Undefined leaves a value unchanged, and null clears it. */
export interface WorkspaceUpdate {
  name?: string
  timezone?: string | null
  currency?: string | null
  country?: string | null
}

export function checkedUpdate({ name, timezone, currency, country }: WorkspaceUpdate): WorkspaceChanges {
  return {
    ...(name !== undefined && { name: checkedName(name) }),
    ...(timezone !== undefined && { timezone: timezone === null ? null : checkedTimezone(timezone) }),
    ...(currency !== undefined && { currencyCode: checkedCode(currency, currencyCodes, CURRENCY) }),
    ...(country !== undefined && { countryCode: checkedCode(country, countryCodes, COUNTRY) }),
  }
}

const CURRENCY = 'is not an ISO 4217 currency code; give one such as GBP, in capitals'
const COUNTRY = 'is not an ISO 3166-1 alpha-2 country code; give one such as GB, in capitals'

/** Writes only the fields that differ, and lists them in `changed`. */
export async function updateWorkspace(tx: Transaction, slug: string, update: WorkspaceUpdate, actor: Actor) {
  const wanted = checkedUpdate(update)
  const workspace = await workspaceOrThrow(tx, slug)
  const fields = Object.keys(wanted) as (keyof WorkspaceChanges)[]
  const changed = fields.filter((field) => wanted[field] !== workspace[field])
  if (changed.length === 0) return { workspace, changed }
  const pick = (values: WorkspaceChanges) => Object.fromEntries(changed.map((field) => [field, values[field] ?? null]))
  if (!(await updateColumns(tx, workspace, pick(wanted))))
    throw new UserError(`the workspace ${slug} was changed at the same time; review the change, and try again`)
  const { id } = workspace
  const detail = { slug, before: pick(workspace), after: pick(wanted) }
  await appendAudit(tx, { workspaceId: id, actor, action: 'workspace.updated', subject: id, detail })
  return { workspace: { ...workspace, ...wanted }, changed }
}

export const archiveWorkspace = (tx: Transaction, slug: string, actor: Actor) =>
  setArchived(tx, slug, isoOf(tx.nowMs), { actor, action: 'workspace.archived' })

export const restoreWorkspace = (tx: Transaction, slug: string, actor: Actor) =>
  setArchived(tx, slug, null, { actor, action: 'workspace.restored' })

async function setArchived(
  tx: Transaction,
  slug: string,
  archivedAt: string | null,
  entry: { actor: Actor; action: string },
): Promise<WorkspaceRecord> {
  const workspace = await workspaceOrThrow(tx, slug)
  const isAlready = (workspace.archivedAt === null) === (archivedAt === null)
  if (isAlready || !(await setArchivedAt(tx, workspace.id, archivedAt)))
    throw new AlreadyArchivedError(
      `the workspace ${slug} is ${archivedAt === null ? 'not archived' : 'already archived'}`,
    )
  await appendAudit(tx, { ...entry, workspaceId: workspace.id, subject: workspace.id, detail: { slug } })
  return { ...workspace, archivedAt }
}

export class AlreadyArchivedError extends UserError {
  override name = 'AlreadyArchivedError'
}

function checkedName(name: string): string {
  const trimmed = name.trim()
  const fault = nameError(trimmed, NAME_MAX)
  if (fault !== undefined) throw new InvalidValueError(`the name ${fault}`)
  return trimmed
}

/** Intl ignores case, but clients of the API may not. */
function checkedTimezone(timezone: string): string {
  const zone = canonicalZoneName(timezone)
  if (zone === undefined)
    throw new InvalidValueError(
      `${JSON.stringify(timezone)} is not an IANA timezone; give one such as Europe/London or UTC`,
    )
  const name = spelledAlias(timezone) ?? zone
  if (name === timezone) return timezone
  const fault = name.toLowerCase() === timezone.toLowerCase() ? `is spelled ${name}` : `is an alias; give ${name}`
  throw new InvalidValueError(`the timezone ${JSON.stringify(timezone)} ${fault}`)
}

function checkedCode(code: string | null, codes: ReadonlySet<string>, problem: string): string | null {
  if (code !== null && !codes.has(code)) throw new InvalidValueError(`${JSON.stringify(code)} ${problem}`)
  return code
}
