/**
 * The file that describes workspaces, as `vitrine apply` reads it: one JSON document, or one workspace per line.
 *
 * An omitted member leaves the current value unchanged; null clears it. The whole file is checked before anything is changed.
 */

import { type KeySpec, parseKeySpec, type Readable } from '../keys/key-spec.ts'
import { checker, isObject } from '../lib/checker.ts'
import { type Fault, fault, within } from '../lib/fault.ts'
import { parseJson, parseOrExplain } from '../lib/json-text.ts'
import { arrayOf, mapOf, nullable, nullableString, object, optional, string, type Values } from '../lib/schema.ts'
import { UserError } from '../lib/user-error.ts'
import { checkedMember } from '../members/members.ts'
import { type Role, roles } from '../members/records.ts'
import { checkedDetails, checkedUpdate, type WorkspaceUpdate } from '../workspaces/workspaces.ts'

const MemberSchema = object({ email: string(), role: string({ enum: roles }) })

const KeySchema = object({
  label: string(),
  permissions: optional(arrayOf(string(), { minItems: 1 })),
  expires: optional(nullableString({})),
  rateLimit: optional(nullableString({})),
  // An empty list is refused: it may mean everywhere or nowhere.
  networks: optional(nullable(arrayOf(string(), { minItems: 1 }))),
  only: optional(nullable(mapOf(mapOf(arrayOf(string()))))),
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

/** The workspaces without faults, and the others' faults, each of which begins with its place in the file. */
export function readDesired(text: string, readable: readonly Readable[]) {
  const workspaces: DesiredWorkspace[] = []
  const faults: string[] = []
  const isRepeatedSlug = repetition()
  for (const { place, value } of entriesOf(text)) {
    const entryFaults = faultsOf(value)
    if (isObject(value)) {
      // Also what has the right type in an entry with faults, so that all are shown at once.
      const desired = desiredOf(value as Partial<WorkspaceEntry>, readable, entryFaults)
      entryFaults.push(...fault('slug', desired.slug !== '' && isRepeatedSlug(desired.slug) && 'is listed twice'))
      if (entryFaults.length === 0) workspaces.push(desired)
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

const DETAILS = ['name', 'timezone', 'currency', 'country'] as const

/** Adds to `faults`. The result is only to be used if there are none. */
function desiredOf(entry: Partial<WorkspaceEntry>, readable: readonly Readable[], faults: Fault[]): DesiredWorkspace {
  const ofTypes = [...faults]
  const hasTypeOf = (name: string) => ofTypes.every(({ field }) => !`${field}.`.startsWith(`${name}.`))
  const isList = (name: string) => ofTypes.every(({ field }) => field !== name)
  const { slug = '', members, keys, ...details } = entry
  if (hasTypeOf('slug')) check('', faults, () => checkedDetails({ slug, name: 'any' }))
  for (const name of DETAILS.filter(hasTypeOf)) check('', faults, () => checkedUpdate({ [name]: details[name] }))
  const isRepeatedEmail = repetition()
  const isRepeatedLabel = repetition()
  const membersOf = (list: NonNullable<typeof members>) =>
    list.flatMap((member, i) => {
      if (!hasTypeOf(`members.${i}`)) return []
      const checked = check(`members.${i}`, faults, () => checkedMember(member)) ?? member
      faults.push(...fault(`members.${i}`, isRepeatedEmail(checked.email) && 'is listed twice'))
      return [checked as { email: string; role: Role }]
    })
  const keysOf = (list: NonNullable<typeof keys>) =>
    list.flatMap(({ networks, ...key }, i) => {
      if (!hasTypeOf(`keys.${i}`)) return []
      const { spec, faults: ofKey } = parseKeySpec(
        { ...key, networks: networks === null ? null : networks?.join(',') },
        readable,
      )
      const { label = '' } = spec
      const isRepeated = isRepeatedLabel(label) && 'is listed twice; keys are matched by their label'
      faults.push(...within(`keys.${i}`, [...ofKey, ...fault('label', isRepeated)]))
      return [{ ...spec, label }]
    })
  return {
    slug,
    details,
    members: members && isList('members') ? membersOf(members) : undefined,
    keys: keys && isList('keys') ? keysOf(keys) : undefined,
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
