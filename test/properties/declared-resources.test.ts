// On both engines: texts are compared by the database.
/** Whatever is declared, stored and queried, both engines and all protocols match a plain model of the list. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { importRecords } from '../../src/import/import-records.ts'
import { syncRecords } from '../../src/import/sync-records.ts'
import { UserError } from '../../src/lib/user-error.ts'
import { deleteList } from '../../src/lists/stored/write.ts'
import { compileDefinition } from '../../src/resources/declared/compile.ts'
import type { Definition } from '../../src/resources/declared/definition.ts'
import { permissionsOf, type Resource } from '../../src/resources/define.ts'
import { resources as builtIn } from '../../src/resources/index.ts'
import { createWorkspace, deleteRow } from '../support/changes.ts'
import { runs } from '../support/database.ts'
import { NOON, type Service, startService } from '../support/service.ts'
import { callTool, type EndpointName, type Server } from '../support/tool-calls.ts'
import { listOf } from '../support/written-lists.ts'
import { definition, questionOf, recordOf } from './generated-definitions.ts'
import { groupsOf, ListModel } from './list-model.ts'

const DEFINITIONS = 10
const MINUTE_MS = 60_000

/** As far behind and ahead of UTC as time zones go. */
const PLACES = [
  { slug: 'west', timezone: 'Pacific/Pago_Pago', offset: -11 },
  { slug: 'east', timezone: 'Pacific/Kiritimati', offset: 14 },
] as const
/** Of the process. */
const ZONES = [...PLACES.map(({ timezone }) => timezone), 'UTC', 'Asia/Kolkata']

const OWN_IDS = ['o1', 'O1', 'ö1', "o'2", 'o3', 'o4', 'o5']
const SYNCED_IDS = ['s1', 's2', 's3', 's4']
const IDS = [...OWN_IDS, ...SYNCED_IDS]

type Values = Record<string, unknown>
/** For each filter, values; for each word of a query, a number of rows. */
type Suggestions = Record<string, string[] | Record<string, number>>
type Change =
  | { kind: 'import' | 'sync'; records: Values[] }
  | { kind: 'delete'; id: string }
  | { kind: 'pass'; minutes: number }

interface Question {
  args: Values
  limit: number
  endpoint: EndpointName
  by: number
}

function changeOf(one: Definition): fc.Arbitrary<Change> {
  const record = recordOf(one)
  // Sometimes an id is one of the others, and the whole file is refused.
  const recordsOf = (ids: string[], other: string) =>
    fc
      .tuple(
        fc.uniqueArray(fc.constantFrom(...ids, ...ids, other), { minLength: 1 }),
        fc.array(record, { minLength: 11, maxLength: 11 }),
      )
      .map(([ids, records]) => ids.map((id, i): Values => ({ ...records[i], id })))
  const imported = fc
    .tuple(recordsOf(OWN_IDS, 's1'), fc.array(fc.boolean(), { minLength: 2, maxLength: 2 }))
    .map(([records, gone]) => records.map((each, i) => (gone[i] ? { id: each.id, deleted: true } : each)))
  return fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('import' as const), records: imported }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('sync' as const), records: recordsOf(SYNCED_IDS, 'o1') }) },
    fc.record({ kind: fc.constant('delete' as const), id: fc.constantFrom(...IDS) }),
    fc.record({ kind: fc.constant('pass' as const), minutes: fc.integer({ min: 1, max: 3 }) }),
  )
}

const scenarioOf = (one: Definition, index: number) =>
  fc.record({
    index: fc.constant(index),
    zone: fc.constantFrom(...ZONES),
    steps: fc.array(
      fc.record({
        place: fc.nat(1),
        change: changeOf(one),
        questions: fc.array(
          fc.record({
            args: questionOf(one, IDS),
            limit: fc.integer({ min: 1, max: one.limit ?? 1 }),
            endpoint: fc.constantFrom<EndpointName>('2025-03-26 on /mcp', '2026-07-28 on /v2/mcp'),
            by: fc.nat(20),
          }),
          { minLength: 1, maxLength: 3 },
        ),
      }),
      { minLength: 1, maxLength: 6, size: 'max' },
    ),
  })

/** The list of one workspace, its model, and what a client saw last. */
class Place {
  readonly server: Server
  readonly model: ListModel
  readonly #slug: string
  readonly #service: Service
  readonly #resource: Resource
  #seen = { etag: '"none"', body: '' }
  #answered = new Map<string, { etag: string; expected: string }>()

  constructor(service: Service, resource: Resource, model: ListModel, slug: string, key: string) {
    this.server = { url: service.url, key }
    this.model = model
    this.#slug = slug
    this.#service = service
    this.#resource = resource
  }

  get #name() {
    return this.#resource.name
  }

  get #list() {
    return listOf(this.#resource)
  }

  get #limit() {
    return this.#list.limit
  }

  async change(change: Change): Promise<void> {
    const { operator, time } = this.#service
    const clock = () => new Date(time.now).toISOString()
    const onBadRecord = (_: unknown, faults: string[]) => assert.fail(faults.join())
    const context = { store: operator, list: this.#list, actor: 'test', clock, onBadRecord }
    if (change.kind === 'pass') time.now += change.minutes * MINUTE_MS
    else if (change.kind === 'delete') {
      if (this.model.has(change.id)) await deleteRow(operator, this.#list, this.#slug, change.id, 'test')
      this.model.delete(change.id)
    } else {
      const { kind, records } = change
      const allowMissing = this.#list.fields.map(({ name }) => name)
      const options = { workspace: this.#slug, source: 'tracker', maxGone: { percent: 100 }, allowMissing }
      const isTaken = kind === 'import' ? this.model.import(records) : this.model.sync(records, 'tracker')
      const done =
        kind === 'import'
          ? importRecords(context, this.#slug, { chunks: inChunks(records) })
          : syncRecords(context, { ...options, firstPart: () => ({ chunks: inChunks(records) }) })
      if (isTaken) await done
      else await assert.rejects(done, UserError)
    }
  }

  /** The whole list, by REST and by a call without arguments. */
  async checkList(): Promise<void> {
    const all = this.model.matching({}, this.#service.time.now) as Values[]
    const expected = JSON.stringify({ [this.#name]: all.slice(0, this.#limit) })
    const first = await this.#get(this.#seen.etag)
    if (first.status === 304) assert.equal(this.#seen.body, expected, 'an outdated list is confirmed')
    else this.#seen = { etag: first.headers.get('etag') ?? '', body: JSON.stringify(await first.json()) }
    assert.equal(this.#seen.body, expected)
    assert.equal((await this.#get(this.#seen.etag)).status, 304)
    const whole = await callTool(this.server, '2025-03-26 on /mcp', `list_${this.#name}`, {})
    assert.equal(JSON.stringify(JSON.parse(whole.text)), expected)
    await this.#checkPage('2026-07-28 on /v2/mcp', {}, all.slice(0, this.#limit), all.length, all.length > this.#limit)
  }

  #get(etag: string) {
    const headers = { authorization: `Bearer ${this.server.key}`, 'if-none-match': etag }
    return fetch(`${this.server.url}/${this.#name}`, { headers })
  }

  /** Every page, its total and its counts. Returns a cursor, if there was one. */
  async checkQuestion({ args, limit, endpoint, by }: Question): Promise<string | undefined> {
    const all = this.model.matching(args, this.#service.time.now)
    if (all === undefined) {
      await assert.rejects(this.#ask(endpoint, args), /must (be|have)/)
      return undefined
    }
    let cursor: string | null | undefined
    let last: string | undefined
    for (let from = 0; from === 0 || from < all.length; from += limit) {
      const page = { ...args, limit, ...(typeof cursor === 'string' && { cursor }) }
      const hasMore = from + limit < all.length
      cursor = await this.#checkPage(endpoint, page, all.slice(from, from + limit), all.length, hasMore)
      last = cursor ?? last
    }
    await this.#checkEtag(endpoint, { ...args, limit }, JSON.stringify(all))
    const countBy = Object.keys(this.#resource.list?.countBy ?? {})
    const field = countBy[by % countBy.length]
    if (field !== undefined) await this.#checkCounts(endpoint, args, field, all)
    return last
  }

  async #ask(endpoint: EndpointName, args: Values): Promise<Values> {
    return JSON.parse((await callTool(this.server, endpoint, `list_${this.#name}`, args)).text) as Values
  }

  async #checkPage(endpoint: EndpointName, args: Values, rows: Values[], total: number, hasMore: boolean) {
    const page = await this.#ask(endpoint, args)
    assert.equal(JSON.stringify(page[this.#name]), JSON.stringify(rows), JSON.stringify(args))
    assert.deepEqual([page.total, page.hasMore], [total, hasMore], JSON.stringify(args))
    assert.equal(typeof page.nextCursor, hasMore ? 'string' : 'object')
    this.#checkSuggestions((page.suggestions ?? {}) as Suggestions)
    return page.nextCursor as string | null
  }

  /** Only values of this list are suggested, and words are counted. */
  #checkSuggestions({ query = {}, ...suggestions }: Suggestions): void {
    const { now } = this.#service.time
    const rows = this.model.matching({}, now) as Values[]
    for (const [word, count] of Object.entries(query as Record<string, number>))
      assert.equal(count, this.model.matching({ query: [word] }, now)?.length, word)
    for (const [field, values] of Object.entries(suggestions as Record<string, string[]>))
      for (const value of values)
        assert.ok(
          rows.some((row) => String(row[field]).toLowerCase() === value.toLowerCase()),
          `${value} is suggested for ${field}`,
        )
  }

  async #checkEtag(endpoint: EndpointName, args: Values, expected: string): Promise<void> {
    const question = JSON.stringify([endpoint, args])
    const before = this.#answered.get(question)
    if (before !== undefined) {
      const { unchanged = false } = await this.#ask(endpoint, { ...args, ifNoneMatch: before.etag })
      if (unchanged) assert.equal(expected, before.expected, `an outdated response to ${question} is confirmed`)
    }
    const { etag } = (await this.#ask(endpoint, args)) as { etag: string }
    assert.equal((await this.#ask(endpoint, { ...args, ifNoneMatch: etag })).unchanged, true)
    this.#answered.set(question, { etag, expected })
  }

  async #checkCounts(endpoint: EndpointName, args: Values, field: string, rows: Values[]): Promise<void> {
    const { total, counts, more } = await this.#ask(endpoint, { ...args, countBy: field })
    const type = this.#list.fields.find(({ name }) => name === field)?.kind
    const groups = groupsOf(rows, (row) => {
      const value = row[field] === null ? null : String(row[field])
      return type === 'email' ? (value?.toLowerCase() ?? null) : value
    })
    const expected = groups.map(([value, of]) => ({ value, count: of.length }))
    assert.deepEqual({ total, counts, more }, { total: rows.length, counts: expected, more: 0 }, field)
  }
}

async function* inChunks(records: Values[]): AsyncGenerator<Buffer> {
  yield Buffer.from(JSON.stringify(records))
}

async function start(t: TestContext, definitions: readonly Definition[]) {
  const resources = [...builtIn, ...definitions.map((one) => compileDefinition(one))]
  const service = await startService(t, { resources, env: { RATE_LIMIT: '1000000;w=60' } })
  const keys: string[] = []
  for (const { slug, timezone } of PLACES) {
    await createWorkspace(service.operator, { name: slug, slug, timezone }, 'test', new Date(NOON).toISOString())
    const newKey = { label: slug, permissions: permissionsOf(resources), quota: null, expiresAt: null }
    keys.push((await service.keys.create(slug, newKey)).token)
  }
  return {
    /** Both workspaces, with empty lists. */
    async reset(index: number): Promise<Place[]> {
      service.time.now = NOON
      const one = definitions[index] as Definition
      await service.operator.transaction((tx) => deleteList(tx, one.name))
      return PLACES.map(({ slug, offset }, i) => {
        const resource = resources[builtIn.length + index] as Resource
        return new Place(service, resource, new ListModel(one, offset), slug, keys[i] as string)
      })
    },
  }
}

test('a declared list matches a plain model of it, after every change, at every moment and in every timezone', async (t) => {
  // One seed for the definitions and the rest: a failure shows it, and PROPERTY_SEED repeats it.
  const seed = Number(process.env.PROPERTY_SEED ?? Date.now() % 2 ** 31)
  const definitions = Array.from({ length: DEFINITIONS }, (_, i) =>
    fc.sample(definition(i), { seed: seed + i, numRuns: 1, unbiased: true }),
  ).flat()
  const { reset } = await start(t, definitions)
  const ownZone = process.env.TZ
  t.after(() => {
    if (ownZone === undefined) delete process.env.TZ
    else process.env.TZ = ownZone
  })
  await fc.assert(
    fc.asyncProperty(fc.oneof(...definitions.map(scenarioOf)), async ({ index, zone, steps }) => {
      process.env.TZ = zone
      const places = await reset(index)
      for (const { place, change, questions } of steps) {
        await places[place]?.change(change)
        for (const each of places) await each.checkList()
        const [own, other] = place === 0 ? places : places.toReversed()
        for (const question of questions) {
          const cursor = await own?.checkQuestion(question)
          const { args, limit, endpoint } = question
          if (cursor !== undefined && other !== undefined)
            await assert.rejects(
              callTool(other.server, endpoint, `list_${definitions[index]?.name}`, { ...args, limit, cursor }),
              /belongs to a call with other filters/,
            )
        }
      }
    }),
    // A failure is reported before it is as small as it could be.
    { numRuns: runs(30), seed, interruptAfterTimeLimit: 20_000 },
  )
})
