/**
 * The file that describes workspaces, as `vitrine apply` reads it: one JSON document, or one workspace per line.
 *
 * An omitted member leaves the current value unchanged; null clears it. The whole file is checked before anything is changed.
 */

import { type KeySpec, parseKeySpec } from '../keys/key-spec.ts'
import { checker, isObject } from '../lib/checker.ts'
import { type Fault, fault, within } from '../lib/fault.ts'
import { parseJson, parseOrExplain } from '../lib/json-text.ts'
import { arrayOf, nullable, nullableString, object, optional, string, type Values } from '../lib/schema.ts'
import { UserError } from '../lib/user-error.ts'
import { checkedMember } from '../members/members.ts'
import { type Role, roles } from '../members/records.ts'
import { checkedDetails, type WorkspaceUpdate } from '../workspaces/workspaces.ts'

const MemberSchema = object({ email: string(), role: string({ enum: roles }) })

const KeySchema = object({
  label: string(),
  permissions: optional(arrayOf(string(), { minItems: 1 })),
  expires: optional(nullableString({})),
  rateLimit: optional(nullableString({})),
  // An empty list is refused: it may mean everywhere or nowhere.
  networks: optional(nullable(arrayOf(string(), { minItems: 1 }))),
})

const WorkspaceSchema = object({
  slug: string(),
  name: optional(string()),
  timezone: optional(nullableString({})),
  currency: optional(nullableString({})),
  country: optional(nullableString({})),
  members: optional(arrayOf(MemberSchema)),
  keys: optional(arrayOf(KeySchema)),
})

type WorkspaceEntry = Values<(typeof WorkspaceSchema)['properties']>

export interface DesiredWorkspace {
  slug: string
  details: WorkspaceUpdate
  /** Undefined if the file does not list members. */
  members: { email: string; role: Role }[] | undefined
  keys: (KeySpec & { label: string })[] | undefined
}

const faultsOf = checker(WorkspaceSchema)

/** Each fault begins with its place in the file. */
export function readDesired(text: string, permissions: readonly string[]) {
  const workspaces: DesiredWorkspace[] = []
  const faults: string[] = []
  const isRepeatedSlug = repetition()
  for (const { place, value } of entriesOf(text)) {
    const entryFaults = faultsOf(value)
    if (entryFaults.length === 0) {
      const entry = value as WorkspaceEntry
      entryFaults.push(...fault('slug', isRepeatedSlug(entry.slug) && 'is listed twice'))
      workspaces.push(desiredOf(entry, permissions, entryFaults))
    }
    faults.push(...entryFaults.map(({ field, problem }) => `${[place, field].filter(Boolean).join('.')}: ${problem}`))
  }
  return { workspaces, faults }
}

function entriesOf(text: string): { place: string; value: unknown }[] {
  const lines = text
    .split('\n')
    .map((line, i) => ({ place: `line ${i + 1}`, value: parseJson(line), isEmpty: !line.trim() }))
  const entries = lines.filter(({ isEmpty }) => !isEmpty)
  const [first] = entries
  // A document may fit on one line, too.
  if (isObject(first?.value) && !('workspaces' in first.value)) return entries
  const parsed = parseOrExplain(text, Number.POSITIVE_INFINITY)
  if ('problem' in parsed) throw new UserError(`the file ${parsed.problem}`)
  const { workspaces, ...others } = isObject(parsed.value) ? parsed.value : {}
  if (!Array.isArray(workspaces) || Object.keys(others).length > 0)
    throw new UserError('the file must be {"workspaces": […]}, or have one workspace per line')
  return workspaces.map((workspace, i) => ({ place: `workspaces.${i}`, value: workspace }))
}

/** Adds to `faults`. */
function desiredOf(entry: WorkspaceEntry, permissions: readonly string[], faults: Fault[]): DesiredWorkspace {
  const { slug, members, keys, ...details } = entry
  check('', faults, () => checkedDetails({ ...details, slug, name: details.name ?? slug }))
  const isRepeatedEmail = repetition()
  const isRepeatedLabel = repetition()
  return {
    slug,
    details,
    members: members?.map((member, i) => {
      const checked = check(`members.${i}`, faults, () => checkedMember(member)) ?? { ...member, role: 'member' }
      faults.push(...fault(`members.${i}`, isRepeatedEmail(checked.email) && 'is listed twice'))
      return checked
    }),
    keys: keys?.map(({ networks, ...key }, i) => {
      const { spec, faults: ofKey } = parseKeySpec(
        { ...key, networks: networks === null ? null : networks?.join(',') },
        permissions,
      )
      const { label = '' } = spec
      const isRepeated = isRepeatedLabel(label) && 'is listed twice; keys are matched by their label'
      faults.push(...within(`keys.${i}`, [...ofKey, ...fault('label', isRepeated)]))
      return { ...spec, label }
    }),
  }
}

/** Whether it was called with this text before. */
function repetition(): (text: string) => boolean {
  const seen = new Set<string>()
  return (text) => seen.size === seen.add(text).size
}

function check<T>(field: string, faults: Fault[], read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    faults.push({ field, problem: (error as Error).message })
    return undefined
  }
}
