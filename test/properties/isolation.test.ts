// On both engines: no engine may mix workspaces.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { resources } from '../resources/declared/orders.ts'
import { engineUnderTest, runs } from '../support/database.ts'
import { exchange, type HttpResponse } from '../support/exchange.ts'
import { META, modernHeaders } from '../support/modern-client.ts'
import { startService } from '../support/service.ts'
import { type ApiKey, type Person, type Place, permissionSets, World } from './isolation-world.ts'

const PEOPLE = 11
const PLACES = 3
const KEYS = PLACES * permissionSets.length

/** People whose address belongs to no workspace, and who may move between them. */
const DRIFTERS = [9, 10]
const pages = [
  'keys',
  'new',
  'rotate',
  'revoke',
  'first-use',
  'audit',
  'audit.csv',
  'audit.ndjson',
  'members',
  'members/new',
  'home',
] as const
const paths = resources.map(({ path }): string => path)
const tools = resources.map(({ tool }) => tool.name)
const filters = ['none', 'bookKey', 'assigneeEmail', 'shared', 'query', 'near', 'counts'] as const
const eras = [
  [false, false],
  [true, false],
  [true, true],
] as const
const forms = ['create', 'rotate', 'revoke'] as const

const anyKey = fc.nat(KEYS - 1)
const anyPlace = fc.nat(PLACES - 1)
/** One more than there are: the stranger. */
const anyPerson = fc.nat(PEOPLE)

/** `knows`: with the cursor and the etag of the last responses that had one, no matter who got them. */
const call = fc.record({
  kind: fc.constant('mcp' as const),
  key: anyKey,
  tool: fc.constantFrom(...tools),
  of: anyPlace,
  filter: fc.constantFrom(...filters),
  /** By MCP 2026-07-28. */
  isModern: fc.boolean(),
  knows: fc.boolean(),
})
type Call = typeof call extends fc.Arbitrary<infer T> ? T : never

const read = fc.oneof(
  /** `knows`: with the ETag of the last response that had one, no matter who got it. */
  fc.record({
    kind: fc.constant('rest' as const),
    key: anyKey,
    method: fc.constantFrom('GET' as const, 'HEAD' as const),
    path: fc.constantFrom(...paths),
    knows: fc.boolean(),
  }),
  call,
  fc.record({
    kind: fc.constant('page' as const),
    person: anyPerson,
    place: anyPlace,
    key: anyKey,
    page: fc.constantFrom(...pages),
    query: fc.constantFrom<string>('', '?q=label', '?kind=changes', '?kind=members', '?key', '?revoked'),
  }),
)
type Read = typeof read extends fc.Arbitrary<infer T> ? T : never

const form = fc.record({
  kind: fc.constant('form' as const),
  person: anyPerson,
  place: anyPlace,
  key: anyKey,
  form: fc.constantFrom(...forms),
  overlap: fc.constantFrom('0' as const, '24h' as const),
  // Few, so that a form is sent again, by others and elsewhere too.
  once: fc.nat(5),
  /** Whose token it carries, if not their own. */
  tokenOf: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: anyPerson }),
})
type Form = typeof form extends fc.Arbitrary<infer T> ? T : never

const role = fc.record({
  kind: fc.constant('role' as const),
  person: fc.constantFrom(...DRIFTERS),
  place: anyPlace,
  role: fc.constantFrom('owner' as const, 'admin' as const, 'member' as const, undefined),
})
const archive = fc.record({ kind: fc.constant('archive' as const), place: anyPlace, isArchived: fc.boolean() })
/** All at once, so that they meet in one tick of the event loop and share what is shared. */
const reads = fc.record({
  kind: fc.constant('reads' as const),
  reads: fc.array(read, { minLength: 1, maxLength: 5 }),
})
/** The rows of all workspaces change: no response is ready any more. */
const change = fc.record({ kind: fc.constant('change' as const) })
const step = fc.oneof(
  { weight: 6, arbitrary: reads },
  { weight: 4, arbitrary: form },
  { weight: 1, arbitrary: role },
  { weight: 1, arbitrary: archive },
  { weight: 2, arbitrary: change },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

class Play {
  readonly world: World
  readonly #run: number
  #etag = '"none"'
  #known: Record<string, unknown> = { limit: 1 }
  /** As the last step left them; undefined if that was an operator's. */
  #states: string[] | undefined

  constructor(world: World, run: number) {
    this.world = world
    this.#run = run
  }

  #person(index: number): Person {
    return this.world.people[index] ?? this.world.stranger
  }
  #key(index: number): ApiKey {
    return this.world.keys[index] as ApiKey
  }
  #place(index: number): Place {
    return this.world.places[index] as Place
  }

  async take(step: Step): Promise<void> {
    const { world } = this
    const before = this.#states ?? (await world.states())
    this.#states = undefined
    let mayChange: Place | undefined
    switch (step.kind) {
      case 'reads':
        await Promise.all(step.reads.map((one) => this.#read(one)))
        break
      case 'form':
        mayChange = await this.#form(step)
        break
      case 'role': {
        const person = this.#person(step.person)
        await world.setRole(person, this.#place(step.place), step.role)
        await world.signIn(person)
        return
      }
      case 'archive':
        return world.setArchived(this.#place(step.place), step.isArchived)
      case 'change':
        return world.changeRows()
    }
    const after = await world.states()
    this.#states = after
    for (const [i, place] of world.places.entries())
      if (place !== mayChange) assert.equal(after[i], before[i], `${place.tree} was changed`)
  }

  async #read(one: Read): Promise<void> {
    switch (one.kind) {
      case 'rest': {
        const key = this.#key(one.key)
        const known = one.knows ? { 'if-none-match': this.#etag } : {}
        // Kept as the client of the key's use, for its managers to see.
        const agent = { 'user-agent': `${key.place.tree}-label-agent/1` }
        const headers = { authorization: `Bearer ${key.token}`, ...agent, ...known }
        const response = await exchange(this.world.service.url, one.path, { method: one.method, headers })
        this.#etag = response.headers.etag ?? this.#etag
        return this.#check(key, response)
      }
      case 'mcp':
        return this.#call(one)
      case 'page': {
        const person = this.#person(one.person)
        const { id } = this.#key(one.key)
        const workspace = `workspaces/${this.#place(one.place).slug}`
        const query = one.query === '?key' || one.query === '?revoked' ? `${one.query}=${id}` : one.query
        const path = {
          keys: `/settings/${workspace}/keys`,
          new: `/settings/${workspace}/keys/new`,
          rotate: `/settings/${workspace}/keys/${id}/rotate`,
          revoke: `/settings/${workspace}/keys/${id}/revoke`,
          'first-use': `/api/${workspace}/keys/${id}/first-use`,
          audit: `/settings/${workspace}/audit`,
          'audit.csv': `/settings/${workspace}/audit.csv`,
          'audit.ndjson': `/settings/${workspace}/audit.ndjson`,
          members: `/settings/${workspace}/members`,
          'members/new': `/settings/${workspace}/members/new`,
          home: '/settings',
        }[one.page]
        return this.#check(person, await person.browser.get(path + query), query.includes(id) ? [id] : [])
      }
    }
  }

  async #call({ key: at, tool, of, filter, isModern, knows }: Call): Promise<void> {
    const key = this.#key(at)
    const own = `${this.#place(of).tree}-${tool === 'list_orders' ? 'orders' : 'tasks'}`
    const ofOrders = {
      none: {},
      bookKey: { supplier: own },
      assigneeEmail: { ids: [own] },
      shared: { status: 'draft' },
      query: { query: 'orders' },
      near: { supplier: `${own}s` },
      counts: { countBy: 'supplier' },
    }[filter]
    const ofTasks = {
      none: {},
      bookKey: { bookKey: own },
      assigneeEmail: { assigneeEmail: `${own}@x.example` },
      shared: { bookKey: 'shared', assigneeEmail: 'all@x.example' },
      query: { query: 'tasks' },
      // Nothing matches, so that values are suggested.
      near: { bookKey: `${own}s`, assignee: `${own}@x.exampl`, assigneeEmail: `${own}@x.exampl` },
      counts: { countBy: 'assignee' },
    }[filter]
    const known = filter === 'counts' ? {} : knows ? this.#known : { limit: 1 }
    const narrowing = tool === 'list_orders' ? ofOrders : ofTasks
    const list = isModern ? { ...narrowing, ...known } : narrowing
    const params = { name: tool, arguments: tool === 'get_workspace' ? {} : list, ...(isModern && { _meta: META }) }
    const headers = {
      authorization: `Bearer ${key.token}`,
      'content-type': 'application/json',
      ...(isModern && modernHeaders('tools/call', tool)),
    }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    const path = isModern ? '/v2/mcp' : '/mcp'
    const response = await exchange(this.world.service.url, path, { method: 'POST', headers, body })
    const { nextCursor, etag } =
      (response.json as { result?: { structuredContent?: Record<string, unknown> } }).result?.structuredContent ?? {}
    this.#known = {
      ...this.#known,
      ...(typeof nextCursor === 'string' && { cursor: nextCursor }),
      ...(typeof etag === 'string' && { ifNoneMatch: etag }),
    }
    // Missing ids are named.
    return this.#check(key, response, (list as { ids?: string[] }).ids)
  }

  /** Gives the workspace that the person may change. */
  async #form(step: Form): Promise<Place | undefined> {
    const person = this.#person(step.person)
    const place = this.#place(step.place)
    const key = this.#key(step.key)
    const keys = `/settings/workspaces/${place.slug}/keys`
    const path = step.form === 'create' ? keys : `${keys}/${key.id}/${step.form}`
    const response = await person.browser.post(path, {
      csrf: step.tokenOf === null ? person.csrf : this.#person(step.tokenOf).csrf,
      once: `run${this.#run}form${step.once}`.padEnd(43, 'A'),
      label: `${place.tree}-label of a form`,
      permissions: 'tasks:read',
      expiry: '30',
      overlap: step.overlap,
    })
    await this.world.look()
    // An out-of-date form gets a link to its page.
    this.#check(person, response, [key.id])
    const isTheirs = this.world.manages(person, place)
    if (!isTheirs || (step.form !== 'create' && key.place !== place))
      // 409: the same form already created a key of theirs.
      assert.ok([303, 400, 403, 404, 409].includes(response.status), `${response.status}`)
    return isTheirs && (step.form === 'create' || key.place === place) ? place : undefined
  }

  /** Their own input may be returned to them. */
  #check(actor: Person | ApiKey, { status, headers, text }: HttpResponse, sent: string[] = []): void {
    assert.notEqual(status, 500)
    const shown = `${JSON.stringify(headers)}\n${text}`
    for (const hidden of this.world.hiddenFrom(actor))
      assert.ok(sent.includes(hidden) || !shown.includes(hidden), `${hidden} is shown`)
  }
}

async function startPlay(t: TestContext): Promise<World> {
  const world = new World(await startService(t, { resources, env: { RATE_LIMIT: '1000000;w=60' } }))
  await world.settle()
  await world.reset()
  assert.deepEqual([world.people.length, world.keys.length, world.places.length], [PEOPLE, KEYS, PLACES])
  return world
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i)

const responsesOf = ({ service }: World): Set<string> =>
  new Set(
    service.logLines.map((line) => {
      const { method, path, status } = JSON.parse(line) as { method: string; path: string; status: number }
      return `${method} ${path} ${status}`
    }),
  )

test('no key is shown anything but its own, by any read or tool, concurrently with all the others', async (t) => {
  const world = await startPlay(t)
  const play = new Play(world, 0)
  const all = paths.flatMap((path) =>
    upTo(KEYS).map((key): Read => ({ kind: 'rest', key, path, method: 'GET', knows: false })),
  )
  for (let i = 0; i < 5; i++) {
    await play.take({ kind: 'change' })
    await play.take({ kind: 'reads', reads: all })
  }
  for (const key of upTo(KEYS)) {
    const reads: Read[] = paths.map((path) => ({
      ...{ kind: 'rest', key, path, method: 'GET', knows: true },
    }))
    for (const of of upTo(PLACES))
      for (const tool of tools)
        for (const filter of filters)
          for (const [isModern, knows] of eras) reads.push({ kind: 'mcp', key, tool, of, filter, isModern, knows })
    await play.take({ kind: 'reads', reads })
  }
  const responses = responsesOf(world)
  for (const expected of [
    ...paths.flatMap((path) => [`GET ${path} 200`, `GET ${path} 403`]),
    'POST /mcp 200',
    'POST /v2/mcp 200',
  ])
    assert.ok(responses.has(expected), expected)
})

// The second engine runs other queries, and those are the same for every workspace.
for (const place of engineUnderTest() === 'sqlite' ? upTo(PLACES) : [0])
  test(`no one is shown or can change what is not theirs, by any page or form of workspace ${place}`, async (t) => {
    const world = await startPlay(t)
    const play = new Play(world, 0)
    // A key of each workspace, used, so that there is something to see of it.
    const keys = upTo(PLACES).map((other) => other * (KEYS / PLACES))
    await play.take({
      kind: 'reads',
      reads: keys.map((key) => ({ kind: 'rest', key, path: '/tasks', method: 'GET', knows: false })),
    })
    await world.service.untilRecorded({ requests: keys.length })
    for (const person of upTo(PEOPLE + 1)) {
      const reads: Read[] = pages.flatMap((page) =>
        keys.map((key) => ({ kind: 'page', person, place, key, page, query: page.startsWith('audit') ? '?key' : '' })),
      )
      await play.take({ kind: 'reads', reads })
      // By itself, because the pages take turns with it, and few may wait.
      await play.take({ kind: 'reads', reads: [{ kind: 'page', person, place, key: 0, page: 'audit.csv', query: '' }] })
      for (const form of forms)
        for (const key of form === 'create' ? [0] : keys)
          await play.take({ kind: 'form', person, place, key, form, overlap: '0', once: 0, tokenOf: null })
    }
    const responses = responsesOf(world)
    const settings = `/settings/workspaces/${world.places[place]?.slug}`
    for (const expected of [
      ...[200, 303, 404].map((status) => `GET ${settings}/keys ${status}`),
      ...[200, 303, 403, 404].map((status) => `GET ${settings}/audit.csv ${status}`),
      ...[200, 303, 403, 404].map((status) => `POST ${settings}/keys ${status}`),
    ])
      assert.ok(responses.has(expected), expected)
  })

test('no one is shown or can change what is not theirs by any sequence of requests, while roles change and workspaces come and go', async (t) => {
  const world = await startPlay(t)
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 20, size: 'max' }), async (steps) => {
      await world.reset()
      const play = new Play(world, run++)
      for (const one of steps) await play.take(one)
    }),
    // What happens depends on all the runs before, so a shorter sequence would prove nothing.
    { numRuns: runs(20), endOnFailure: true },
  )
})
