import { newestEntries } from '../../src/audit/log.ts'
import type { Row } from '../../src/lists/column.ts'
import { type List, listsOf } from '../../src/lists/definition.ts'
import { membersOf, type Role, roles } from '../../src/members/records.ts'
import { permissionsOf } from '../../src/resources/define.ts'
import { listWorkspaces } from '../../src/workspaces/records.ts'
import { resources } from '../resources/declared/orders.ts'
import { addMember, archiveWorkspace, createWorkspace, removeMember, restoreWorkspace } from '../support/changes.ts'
import { listKeys } from '../support/keys.ts'
import { Browser, fieldOf, linkFor } from '../support/person.ts'
import type { Service } from '../support/service.ts'
import { addRows, addTasks } from '../support/written-lists.ts'

/** Each workspace has its own texts for each kind of data, so that a text shows whose it is and what it is. */
const TREES = ['alder', 'birch', 'cedar'] as const
const kinds = ['name', 'boss', 'plain', 'label'] as const
/** Belongs to the workspace itself, or to the named list. */
const mark = (tree: string, kind: (typeof kinds)[number] | List['name']) => `${tree}-${kind}`

export interface Place {
  tree: string
  id: string
  slug: string
  isArchived: boolean
}

export interface ApiKey {
  id: string
  token: string
  place: Place
  permissions: readonly string[]
}

export interface Person {
  email: string
  browser: Browser
  csrf: string
  roles: Map<Place, Role>
}

const permissions = permissionsOf(resources)
/** Each workspace's permissions: all at once, then one by one. */
export const permissionSets = [permissions, ...permissions.map((permission) => [permission])]

/** Several workspaces with keys and people, and what each of them may see. */
export class World {
  readonly service: Service
  readonly places: Place[] = []
  readonly people: Person[] = []
  readonly keys: ApiKey[] = []
  /** A person without a session. */
  readonly stranger: Person
  #now = 0
  #texts: { kind: string; text: string }[] = []

  constructor(service: Service) {
    this.service = service
    this.stranger = { email: 'stranger', browser: new Browser(service.url), csrf: '', roles: new Map() }
  }

  async settle(): Promise<void> {
    const { operator } = this.service
    for (const tree of TREES) {
      const slug = mark(tree, 'name')
      const details = { name: `The ${slug} workspace`, slug, timezone: 'UTC' }
      const { id } = await createWorkspace(operator, details, 'test', this.#at())
      this.places.push({ tree, id, slug, isArchived: false })
      // A member who stays, so that all others can leave.
      await addMember(operator, slug, { email: 'keeper@x.example', role: 'owner' }, 'test', this.#at())
      await this.#addMarkedRows({ tree, id })
      const own = mark(tree, 'tasks')
      const text = { title: own, details: own, sourceTitle: own, sourceSummary: own, sourceSessionId: own }
      await addTasks(
        operator,
        id,
        Array.from({ length: 4 }, (_, i) => ({
          ...{ id: `${own}-${i}`, ...text, assigneeName: own, sourceKind: own },
          bookKey: i % 2 === 0 ? 'shared' : own,
          assigneeEmail: i < 2 ? 'all@x.example' : `${own}@x.example`,
        })),
        this.#at(),
      )
    }
    for (const { tree } of this.places) {
      this.#addPerson(`owner.${mark(tree, 'boss')}@x.example`)
      this.#addPerson(`admin.${mark(tree, 'boss')}@x.example`)
      this.#addPerson(`member.${mark(tree, 'plain')}@x.example`)
    }
    this.#addPerson('both@x.example')
    this.#addPerson('drifter@x.example')
  }

  /** Two rows of each list, so that there is a second page. */
  async #addMarkedRows({ tree, id }: Pick<Place, 'tree' | 'id'>): Promise<void> {
    for (const list of listsOf(resources).filter(({ name }) => name !== 'tasks')) {
      const row = markedRow(list, mark(tree, list.name))
      const changed = { ...row, id: `${row.id}-${this.#now}` }
      await addRows(this.service.operator, id, list, [row, changed], this.#at())
    }
  }

  #addPerson(email: string): void {
    this.people.push({ email, browser: new Browser(this.service.url), csrf: '', roles: new Map() })
  }

  /** Time advances, so that the sign-in limit is never reached, but not enough for a session to end. */
  #at(): string {
    return new Date(this.service.time.now + this.#now++).toISOString()
  }

  /** Everyone where they belong, and live keys of every kind everywhere. */
  async reset(): Promise<void> {
    const [first, second, third] = this.places as [Place, Place, Place]
    for (const place of this.places) await this.setArchived(place, false)
    for (const [i, person] of this.people.entries()) {
      const own = this.places[Math.floor(i / roles.length)]
      const assigned = new Map<Place, Role>(own === undefined ? [] : [[own, roles[i % roles.length] as Role]])
      if (person.email === 'both@x.example') assigned.set(first, 'owner').set(second, 'member')
      if (person.email === 'drifter@x.example') assigned.set(third, 'admin')
      for (const place of this.places) await this.setRole(person, place, assigned.get(place))
      await this.signIn(person)
    }
    this.keys.length = 0
    for (const place of this.places)
      for (const permissions of permissionSets) {
        const label = `${mark(place.tree, 'label')} ${permissions.join(' ')}`
        const made = await this.service.keys.create(place.slug, { label, permissions, quota: null, expiresAt: null })
        this.keys.push({ id: made.key.id, token: made.token, place, permissions })
      }
    await this.look()
  }

  async setRole(person: Person, place: Place, role: Role | undefined): Promise<void> {
    if (person.roles.get(place) === role) return
    const { operator } = this.service
    if (role === undefined) await removeMember(operator, place.slug, person.email, 'test')
    else await addMember(operator, place.slug, { email: person.email, role }, 'test', this.#at())
    if (role !== undefined) person.roles.set(place, role)
    else {
      person.roles.delete(place)
      person.csrf = '' // A removed member is signed out everywhere.
    }
  }

  async changeRows(): Promise<void> {
    for (const { tree, id } of this.places) {
      await this.#addMarkedRows({ tree, id })
      const own = mark(tree, 'tasks')
      await addTasks(this.service.operator, id, [{ id: `${own}-0`, title: `${own} ${this.#at()}` }], this.#at())
    }
  }

  async setArchived(place: Place, isArchived: boolean): Promise<void> {
    if (place.isArchived === isArchived) return
    const change = isArchived ? archiveWorkspace : restoreWorkspace
    await change(this.service.operator, place.slug, 'test')
    place.isArchived = isArchived
  }

  /** Unless they are signed in, or have nowhere to sign in to. */
  async signIn(person: Person): Promise<void> {
    const slug = this.#open(person)[0]?.slug
    if (slug === undefined || person.csrf !== '') return
    this.service.time.now += 30_000
    await person.browser.follow(await linkFor(this.service, person.email))
    person.csrf = fieldOf(await person.browser.get(`/settings/workspaces/${slug}/keys`), 'csrf')
    if (person.csrf === '') throw new Error(`${person.email} could not sign in`)
  }

  #open(person: Person): Place[] {
    return [...person.roles.keys()].filter(({ isArchived }) => !isArchived)
  }

  manages(person: Person, place: Place): boolean {
    return !place.isArchived && isManager(person, place)
  }

  /** Every text that a person must not be shown, as of the last search. */
  hiddenFrom(actor: Person | ApiKey): string[] {
    const allowed = new Set('token' in actor ? shownToKey(actor) : this.#shownToPerson(actor))
    return this.#texts.filter(({ kind }) => !allowed.has(kind)).map(({ text }) => text)
  }

  #shownToPerson(person: Person): string[] {
    // Members of an archived workspace see its name, and the owners, who can restore it; managers see its audit log.
    return [...person.roles.keys()].flatMap((place) => {
      const seen = [mark(place.tree, 'name'), mark(place.tree, 'boss')]
      // A plain member sees their own address.
      if (person.email.includes(mark(place.tree, 'plain'))) seen.push(mark(place.tree, 'plain'))
      if (!isManager(person, place)) return seen
      // Managers choose the rows that a key may see by their values.
      const inRows = listsOf(resources).map(({ name }) => mark(place.tree, name))
      return [...seen, ...inRows, mark(place.tree, 'plain'), mark(place.tree, 'label'), place.id]
    })
  }

  /** Collects the texts to hide, which grow with each key. */
  async look(): Promise<void> {
    const texts = this.places.flatMap(({ tree, id }) => [
      ...[...kinds, ...listsOf(resources).map(({ name }) => name)].map((kind) => ({
        kind: mark(tree, kind),
        text: mark(tree, kind),
      })),
      { kind: id, text: id },
    ])
    const { operator } = this.service
    for (const place of this.places) {
      const kind = mark(place.tree, 'label')
      const keys = await operator.read((tx) => listKeys(tx, place.id))
      for (const { id, prefix } of keys) texts.push({ kind, text: id }, { kind, text: prefix })
    }
    this.#texts = texts
  }

  /** Everything that a person could have changed in each workspace, as text. The trail lists the latest change first. */
  states(): Promise<string[]> {
    return this.service.operator.read(async (tx) => {
      const workspaces = await listWorkspaces(tx)
      const states: string[] = []
      for (const { id } of this.places) {
        const keys = (await listKeys(tx, id)).map(({ lastUsedAt, lastRefusal, ...key }) => key)
        const workspace = workspaces.find((one) => one.id === id)
        states.push(JSON.stringify([workspace, keys, await membersOf(tx, id), await newestEntries(tx, id, 20)]))
      }
      return states
    })
  }
}

function isManager(person: Person, place: Place): boolean {
  const role = person.roles.get(place)
  return role === 'owner' || role === 'admin'
}

function shownToKey({ place, permissions }: ApiKey): string[] {
  const seen = []
  if (permissions.includes('workspace:read')) seen.push(mark(place.tree, 'name'), place.id)
  for (const { permission, list } of resources)
    if (list !== undefined && permissions.includes(permission)) seen.push(mark(place.tree, list.name))
  return seen
}

/** A row whose every text shows its owner. */
const markedRow = ({ fields }: List, own: string): Row =>
  Object.fromEntries(
    fields.map(({ name: field, kind, maxLength, minimum = 0, choices }) => {
      if (kind === 'text') return [field, own.slice(0, maxLength)]
      if (kind === 'email') return [field, `${own}@x.example`]
      if (kind === 'url') return [field, `https://x.example/${own}`]
      if (kind === 'texts') return [field, [own]]
      if (kind === 'instant') return [field, '2026-11-01T00:00:00.000Z']
      if (kind === 'date') return [field, '2026-11-01']
      if (kind === 'decimal' || kind === 'money') return [field, '1.50']
      if (kind === 'boolean') return [field, false]
      return [field, choices?.[0] ?? minimum]
    }),
  )
