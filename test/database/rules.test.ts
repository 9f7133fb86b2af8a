// Run once: each test covers both engines itself.
/** Both databases reject rows that violate the contract, with the rule's name, whoever writes. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { type columnsOf, importedColumns, type Table, tablesOf } from '../../src/database/table.ts'
import { resources as published } from '../../src/resources/index.ts'
import { countryCodes, currencyCodes } from '../../src/workspaces/iso-codes.ts'
import { resources } from '../resources/books/index.ts'
import { connectElsewhere, type Elsewhere, type Engine, engines, onEach, writeUnchecked } from '../support/database.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { openStore } from '../support/stores.ts'

const AT = '2026-11-15T12:00:00.000Z'
const HASH = '0123456789abcdef'.repeat(4)
const tables = tablesOf(resources)

type Values = Record<string, string>

/** Values are SQL: 'NULL', or a literal in quotes. */
const insertSql = (table: string, values: Values) =>
  `INSERT INTO ${table} (${Object.keys(values).join(', ')}) VALUES (${Object.values(values).join(', ')})`

/** Another program that writes SQL to a database with the workspace `w`. */
async function start(t: TestContext, engine: Engine) {
  const url = await migratedDatabaseUrl(t, engine)
  const store = await openStore(t, url, resources)
  const elsewhere = await connectElsewhere(url, t)
  await elsewhere.run(insertSql('workspaces', workspace))
  return { url, store, ...elsewhere }
}

const workspace = { id: `'w'`, slug: `'w'`, name: `'W'`, created_at: `'${AT}'` }
const member = { workspace_id: `'w'`, email: `'a@b.example'`, role: `'owner'`, added_at: `'${AT}'` }
const source = { workspace_id: `'w'`, table_name: `'tasks'`, name: `'jira'`, created_at: `'${AT}'` }
const key = {
  ...{ id: `'k'`, workspace_id: `'w'`, hash: `'${HASH}'`, prefix: `'vtr_0'`, label: `'x'` },
  ...{ permissions: `'tasks:read'`, created_by: `'me'`, created_at: `'${AT}'` },
}

/** A valid row of a resource's table. */
const rowOf = (table: Table, id = 'a'): Values => ({
  workspace_id: `'w'`,
  ...Object.fromEntries(
    importedColumns(table)
      .filter(({ isNullable, default: value }) => !isNullable && value === undefined)
      .map(({ name, kind }) => [
        name,
        kind === 'instant' ? `'${AT}'` : kind === 'integer' ? '1' : `'${name === 'id' ? id : 'x'}'`,
      ]),
  ),
})

const instantsOf = (engine: Engine) =>
  engine === 'sqlite'
    ? [
        ...['10000-01-01T00:00:00.000Z', '0000-12-31T23:59:59.999Z', '2026-02-30T09:00:00.000Z', 'tomorrow'],
        ...['2026-13-01T09:00:00.000Z', '2026-01-01T24:00:00.000Z', '2026-01-01'],
      ].map((at) => `'${at}'`)
    : [`'10000-01-01'`, `'0001-12-31 BC'`, `'infinity'`, `'-infinity'`]

/** Bytes of another encoding, a cut character, half a surrogate pair. */
const badBytes = ['61e9', '61e962', 'e97461', 'f09f91', 'c3a9e282', 'eda08061', 'c080', 'ff']

/** The longest text, and the first and last times, that a column takes. */
function extremesOf({ kind, maxLength }: ReturnType<typeof columnsOf>[number]): string[] {
  if (kind === 'instant') return ['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z', '2028-02-29T23:59:59.999Z']
  if (maxLength === undefined) return []
  return [kind === 'email' ? `${'x'.repeat(maxLength - 2)}@y` : '👜'.repeat(maxLength)]
}

/** Values that break each rule, by kind of column, as far as the engine accepts them at all. */
function violationsOf(engine: Engine, { kind, name, isNullable, maxLength }: ReturnType<typeof columnsOf>[number]) {
  const found: [value: string, rule: string][] = []
  if (maxLength !== undefined) {
    const long = kind === 'email' ? `${'x'.repeat(maxLength - 1)}@y` : '👜'.repeat(maxLength + 1)
    found.push([`'${long}'`, `${name}_at_most_${maxLength}_characters`])
    if (!isNullable) found.push([`''`, `${name}_not_empty`])
    if (engine === 'sqlite') {
      found.push([`'a' || char(0) || 'b'`, `${name}_without_nul`])
      for (const bytes of badBytes) found.push([`CAST(x'${bytes}' AS TEXT)`, `${name}_is_utf8`])
    }
  }
  if (kind === 'email') found.push([`'nobody'`, `${name}_is_an_address`])
  if (kind === 'instant') for (const at of instantsOf(engine)) found.push([at, `${name}_in_years_1_to_9999`])
  if (kind === 'integer') found.push(['9007199254740992', `${name}_in_range`])
  if (kind === 'choice') found.push([`'lost'`, `${name}_is_known`])
  return found
}

for (const table of tables)
  onEach(`every column of ${table.name} has its rules`, async (t, engine) => {
    const { run, all } = await start(t, engine)
    await run(insertSql(table.name, rowOf(table)))
    for (const column of importedColumns(table)) {
      const violations = violationsOf(engine, column)
      assert.ok(violations.length > 0, `${column.name} has no rule`)
      for (const [value, rule] of violations) {
        const refusal = new RegExp(`${table.name}_${rule}: ${column.field} must`)
        await assert.rejects(run(insertSql(table.name, { ...rowOf(table, 'b'), [column.name]: value })), refusal, value)
        await assert.rejects(run(`UPDATE ${table.name} SET "${column.name}" = ${value}`), refusal, value)
      }
      for (const value of extremesOf(column)) await run(`UPDATE ${table.name} SET "${column.name}" = '${value}'`)
    }
    for (const source of ['', 'Jira', '-x', 'a b', 'x'.repeat(65)]) {
      const refusal = new RegExp(`${table.name}_source_form: source must be`)
      await assert.rejects(run(insertSql(table.name, { ...rowOf(table, 'b'), source: `'${source}'` })), refusal, source)
      await assert.rejects(run(`UPDATE ${table.name} SET source = '${source}'`), refusal, source)
    }
    await run(`UPDATE ${table.name} SET source = '0.a_b-${'x'.repeat(58)}'`)
    assert.equal((await all(`SELECT id FROM ${table.name}`)).length, 1)
  })

const faults: [table: string, row: Values, columns: Values, rule: string, on?: Engine][] = [
  ['workspaces', workspace, { name: `''` }, 'workspaces_name_not_empty'],
  ['workspaces', workspace, { name: `'${'x'.repeat(201)}'` }, 'workspaces_name_at_most_200_characters'],
  ['workspaces', workspace, { name: `'a' || char(0) || 'b'` }, 'workspaces_name_without_nul', 'sqlite'],
  ['workspaces', workspace, { name: `CAST(x'61e9' AS TEXT)` }, 'workspaces_name_is_utf8', 'sqlite'],
  ['workspaces', workspace, { slug: `'No Slug'` }, 'workspaces_slug_form'],
  ['workspaces', workspace, { timezone: `'Mars/Olympus'` }, 'workspaces_timezone_known'],
  ['workspaces', workspace, { currency_code: `'XYZ'` }, 'workspaces_currency_code_known'],
  ['workspaces', workspace, { currency_code: `'gbp'` }, 'workspaces_currency_code_known'],
  ['workspaces', workspace, { country_code: `'UK'` }, 'workspaces_country_code_known'],
  ['members', member, { email: `'nobody'` }, 'members_email_is_an_address'],
  ['members', member, { email: `'A@b.example'` }, 'members_email_in_lower_case'],
  ['members', member, { email: `'${'x'.repeat(243)}@b.example.x'` }, 'members_email_at_most_254_characters'],
  ['members', member, { role: `'king'` }, 'members_role_is_known'],
  ['members', member, { workspace_id: `'none'` }, 'members_workspace_exists'],
  ['sources', source, { workspace_id: `'none'` }, 'sources_workspace_exists'],
  ['api_keys', key, { label: `''` }, 'api_keys_label_not_empty'],
  ['api_keys', key, { label: `'${'x'.repeat(101)}'` }, 'api_keys_label_at_most_100_characters'],
  ['api_keys', key, { label: `'a' || char(0) || 'b'` }, 'api_keys_label_without_nul', 'sqlite'],
  ['api_keys', key, { label: `CAST(x'61e9' AS TEXT)` }, 'api_keys_label_is_utf8', 'sqlite'],
  ...['', 'tasks', 'tasks:write', 'tasks:read,', ',tasks:read', 'tasks:read, books:read', ':read'].map(
    (text): (typeof faults)[number] => ['api_keys', key, { permissions: `'${text}'` }, 'api_keys_permissions_form'],
  ),
  ['api_keys', key, { rate_limit: '5' }, 'api_keys_rate_limit_whole'],
  ['api_keys', key, { rate_window_seconds: '5' }, 'api_keys_rate_limit_whole'],
  ['api_keys', key, { rate_limit: '0', rate_window_seconds: '5' }, 'api_keys_rate_limit_in_range'],
  ['api_keys', key, { rate_limit: '5', rate_window_seconds: '86401' }, 'api_keys_rate_window_seconds_in_range'],
  ...engines.flatMap((engine) =>
    instantsOf(engine).flatMap((at): typeof faults => [
      ['workspaces', workspace, { created_at: at }, 'workspaces_created_at_in_years_1_to_9999', engine],
      ['workspaces', workspace, { archived_at: at }, 'workspaces_archived_at_in_years_1_to_9999', engine],
      ['members', member, { added_at: at }, 'members_added_at_in_years_1_to_9999', engine],
      ['members', member, { signed_in_at: at }, 'members_signed_in_at_in_years_1_to_9999', engine],
      ['api_keys', key, { expires_at: at }, 'api_keys_expires_at_in_years_1_to_9999', engine],
      ['api_keys', key, { revoked_at: at }, 'api_keys_revoked_at_in_years_1_to_9999', engine],
      ['api_keys', key, { paused_at: at }, 'api_keys_paused_at_in_years_1_to_9999', engine],
      ['api_keys', key, { retires_at: at }, 'api_keys_retires_at_in_years_1_to_9999', engine],
    ]),
  ),
]

/** A row keeps these, so only an insert can break their rules. */
const insertFaults: typeof faults = [
  ['workspaces', workspace, { id: `''` }, 'workspaces_id_not_empty'],
  ['workspaces', workspace, { id: `'${'x'.repeat(201)}'` }, 'workspaces_id_at_most_200_characters'],
  ['api_keys', key, { hash: `'short'` }, 'api_keys_hash_form'],
  ['api_keys', key, { hash: `'${HASH.toUpperCase()}'` }, 'api_keys_hash_form'],
  ...engines.flatMap((engine) =>
    instantsOf(engine).map((at): (typeof faults)[number] => [
      ...(['api_keys', key, { created_at: at }, 'api_keys_created_at_in_years_1_to_9999', engine] as const),
    ]),
  ),
]

onEach('workspaces, members and keys have their rules', async (t, engine) => {
  const { run } = await start(t, engine)
  for (const [table, row] of [
    ['members', member],
    ['sources', source],
    ['api_keys', key],
  ] as const)
    await run(insertSql(table, row))
  const other: Record<string, Values> = {
    workspaces: { id: `'v'`, slug: `'v'` },
    members: { email: `'c@d.example'` },
    api_keys: { id: `'l'`, hash: `'${'f'.repeat(64)}'` },
  }
  for (const [table, row, columns, rule, on = engine] of [...faults, ...insertFaults]) {
    if (on !== engine) continue
    const refusal = new RegExp(`${rule}: |"${rule}"`)
    await assert.rejects(run(insertSql(table, { ...row, ...other[table], ...columns })), refusal)
  }
  for (const [table, , columns, rule, on = engine] of faults) {
    if (on !== engine) continue
    const changes = Object.entries(columns).map(([column, value]) => `${column} = ${value}`)
    await assert.rejects(run(`UPDATE ${table} SET ${changes.join(', ')}`), new RegExp(`${rule}: |"${rule}"`))
  }
  await assert.rejects(run(`UPDATE workspaces SET id = 'v'`), /workspaces_id_kept: a workspace keeps its id/)
})

/** Columns that need no rule, and why. */
const unruled: Record<string, string> = {
  'workspaces.source': 'the functions for own tables alone write it',
  'api_keys.id': 'a key is found by it and shown with it, whatever it is',
  'api_keys.workspace_id': 'a key outlives its workspace',
  'api_keys.prefix': 'shown to people, compared with nothing',
  'api_keys.created_by': 'whoever it was',
  'api_keys.replaces': 'a key that may be gone',
  'api_keys.client_id': 'compared with what a client sends, whatever it is',
  'api_keys.client_host': 'shown to people, compared with nothing',
  'api_keys.networks': 'what is no network admits no address',
}

onEach('every column of workspaces, members and keys has a rule, or a reason why not', async (t, engine) => {
  const { all } = await start(t, engine)
  const ruled = new Set(
    [...faults, ...insertFaults].flatMap(([table, , columns]) => Object.keys(columns).map((c) => `${table}.${c}`)),
  )
  for (const table of ['workspaces', 'members', 'api_keys']) {
    const columns = await all<{ name: string }>(
      engine === 'sqlite'
        ? `SELECT name FROM pragma_table_info('${table}')`
        : `SELECT column_name AS name FROM information_schema.columns WHERE table_schema = 'vitrine' AND table_name = '${table}'`,
    )
    for (const { name } of columns)
      assert.notEqual(ruled.has(`${table}.${name}`), `${table}.${name}` in unruled, `${table}.${name}`)
  }
})

onEach('the databases have the same codes as the program', async (t, engine) => {
  const { all } = await start(t, engine)
  for (const [table, codes] of [
    ['currency_codes', currencyCodes],
    ['country_codes', countryCodes],
  ] as const) {
    const known = (await all<{ code: string }>(`SELECT code FROM ${table}`)).map(({ code }) => code)
    assert.deepEqual(known.sort(), [...codes].sort())
  }
})

onEach('a row from before the rules can still be changed in other columns', async (t, engine) => {
  const { url, run } = await start(t, engine)
  await writeUnchecked(
    url,
    insertSql('members', { ...member, email: `'Nobody'` }),
    insertSql('api_keys', { ...key, label: `''`, permissions: `''` }),
    `UPDATE workspaces SET name = '', currency_code = 'XYZ'`,
  )
  await run(`UPDATE members SET role = 'admin'`)
  await run(`UPDATE api_keys SET label = label, expires_at = '${AT}', revoked_at = '${AT}'`)
  await run(`UPDATE workspaces SET name = name, currency_code = currency_code, archived_at = '${AT}'`)
})

test('every text that a program can write in UTF-8 is stored', async (t) => {
  const { store, all, run } = await start(t, 'sqlite')
  const unit = fc.oneof(
    fc.constantFrom(...'aé\u0080\u009f\u00a0«¿\ufffd\ufffe\uffff日👜\u{10ffff}'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter((text) => text !== '\0'),
  )
  await fc.assert(
    fc.asyncProperty(fc.string({ unit, minLength: 1, maxLength: 40 }), async (title) => {
      await store.transaction((tx) =>
        tx.run('INSERT INTO tasks (workspace_id, id, title) VALUES (?, ?, ?)', 'w', 'a', title),
      )
      assert.deepEqual({ ...(await all<object>('SELECT title FROM tasks'))[0] }, { title })
      await run('DELETE FROM tasks')
    }),
    { numRuns: 200 },
  )
})

test('SQLite stores neither bytes in place of text nor text in place of a number', async (t) => {
  const { run } = await start(t, 'sqlite')
  const row = rowOf(tables.find(({ name }) => name === 'books') as Table)
  await assert.rejects(run(insertSql('books', { ...row, title: `x'61'` })), /cannot store BLOB value in TEXT column/)
  await assert.rejects(
    run(insertSql('books', { ...row, pages: `'many'` })),
    /cannot store TEXT value in INTEGER column/,
  )
})

for (const table of tables) {
  const rule = new RegExp(`${table.name}_workspace_exists`)
  const revisionOf = async ({ all }: Pick<Elsewhere, 'all'>) =>
    String((await all<{ number: unknown }>(`SELECT number FROM revisions WHERE workspace_id = 'w'`))[0]?.number)

  onEach(`a row of ${table.name} belongs to an existing workspace`, async (t, engine) => {
    const { run, all } = await start(t, engine)
    await assert.rejects(run(insertSql(table.name, { ...rowOf(table), workspace_id: `'none'` })), rule)
    await run(insertSql(table.name, rowOf(table)))
    await assert.rejects(run(`UPDATE ${table.name} SET workspace_id = 'none'`), rule)
    assert.equal((await all(`SELECT id FROM ${table.name} WHERE workspace_id = 'w'`)).length, 1)
  })

  onEach(
    `the rows of ${table.name} are deleted with their workspace; keys and the audit log stay`,
    async (t, engine) => {
      const elsewhere = await start(t, engine)
      const { run, all, store } = elsewhere
      await run(insertSql('workspaces', { ...workspace, id: `'v'`, slug: `'v'` }))
      for (const workspace_id of [`'w'`, `'v'`]) await run(insertSql(table.name, { ...rowOf(table), workspace_id }))
      await run(insertSql('members', member))
      await run(insertSql('sources', source))
      await run(insertSql('api_keys', key))
      const before = await revisionOf(elsewhere)
      await run(`DELETE FROM workspaces WHERE id = 'w'`)
      assert.notEqual(await revisionOf(elsewhere), before)
      const left = await all<{ workspace_id: string }>(`SELECT workspace_id FROM ${table.name}`)
      assert.deepEqual(
        left.map(({ workspace_id }) => workspace_id),
        ['v'],
      )
      for (const gone of ['members', 'sources']) assert.deepEqual(await all(`SELECT workspace_id FROM ${gone}`), [])
      assert.equal((await all('SELECT id FROM api_keys')).length, 1)
      // A workspace of the same id begins with nothing.
      await run(insertSql('workspaces', workspace))
      assert.equal((await all(`SELECT id FROM ${table.name}`)).length, 1)
      await store.read(async (tx) => assert.equal((await tx.all('SELECT 1 FROM workspaces')).length, 2))
    },
  )
}

onEach('orphaned rows from before the rule do not block anything', async (t, engine) => {
  const url = await migratedDatabaseUrl(t, engine)
  const orphan = { workspace_id: `'gone'`, id: `'lost'`, title: `'Lost'`, created_at: `'${AT}'` }
  const store = await openStore(t, url, published)
  await writeUnchecked(url, insertSql('tasks', orphan), insertSql('members', { ...member, workspace_id: `'gone'` }))
  const { run, all } = await connectElsewhere(url, t)
  await run(`UPDATE tasks SET title = 'Still lost'`)
  await assert.rejects(run(insertSql('tasks', { ...orphan, id: `'more'` })), /tasks_workspace_exists/)
  assert.deepEqual({ ...(await all<object>('SELECT id, title FROM tasks'))[0] }, { id: 'lost', title: 'Still lost' })

  const target = await openStore(t, await migratedDatabaseUrl(t, engine), published)
  await assert.rejects(target.load(store.dump()), {
    name: 'StorageError',
    // A copy of a SQLite database leaves such tasks behind: they may only wait to be deleted with their workspace.
    message: engine === 'sqlite' ? /: members_workspace_exists: / : /: tasks_workspace_exists: /,
  })
  await run('DELETE FROM tasks')
  await run('DELETE FROM members')
  await target.load(store.dump())
})
