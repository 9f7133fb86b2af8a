// Run once: each test names its engines.
/** Both databases reject values that a column's kind does not allow, no matter who writes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openOperatorStore, parseDatabaseUrl } from '../../src/database/open.ts'
import { isDecimal } from '../../src/lib/decimal.ts'
import { isHttpUrl } from '../../src/lib/http-url.ts'
import { isDate } from '../../src/lib/instant.ts'
import { resources } from '../resources/kinds/index.ts'
import { createWorkspace } from '../support/changes.ts'
import { connectElsewhere, type Engine, freshDatabaseUrl, onEach } from '../support/database.ts'
import { program } from '../support/program.ts'

const NINES = '9'.repeat(38)

const decimals = {
  valid: [
    '0',
    '0.0',
    '-0.10',
    '1240.50',
    NINES,
    `-${NINES}`,
    `${'9'.repeat(20)}.${'0'.repeat(18)}`,
    '-1',
    '10',
    '100.00',
  ],
  /** PostgreSQL normalises these before a rule sees them. */
  otherForms: ['007', '-0', '-0.00', '1.', '.5', '1e5', '00', '-01.5'],
  invalid: [`${NINES}9`, `${'9'.repeat(21)}.${'0'.repeat(18)}`, `0.${'1'.repeat(19)}`, 'NaN', 'Infinity'],
  notNumbers: ['', '-', '--1', '1-2', '1.2.3', '1,5', 'x', '+-1'],
}
const dates = {
  valid: ['0001-01-01', '9999-12-31', '2024-02-29', '2026-11-16'],
  invalid: ['10000-01-01', '0000-12-31', '2026-02-29', '2026-13-01', '2026-04-31', '2026-1-01', '', '2026-11-16x'],
}
const urls = {
  valid: ['http://a', 'HTTPS://a.b:1/c?d=e#f', "http://u@[::1]/!$&'()*+,;=%20~-._"],
  invalid: [
    '',
    'http://',
    'ftp://a',
    'a.b',
    '//a.b',
    'http://a b',
    'http://a\tb',
    'http://é.pt',
    'http://a/"',
    'xhttp://a',
  ],
}

async function opened(t: Parameters<typeof freshDatabaseUrl>[0], engine: Engine) {
  const url = await freshDatabaseUrl(t, engine)
  const operator = await openOperatorStore(parseDatabaseUrl(url), resources, { create: true })
  const { id } = await createWorkspace(operator, { name: 'Acme', slug: 'acme' }, 'test', new Date().toISOString())
  await operator.close()
  const elsewhere = await connectElsewhere(url, t)
  await elsewhere.run(`INSERT INTO parcels (workspace_id, id, site, day, rate, tags)
    VALUES ('${id}', 'a', 'http://a', '2026-11-16', '1', '${engine === 'sqlite' ? '[]' : '{}'}')`)
  const set = (column: string, sql: string) => elsewhere.run(`UPDATE parcels SET ${column} = ${sql}`)
  return {
    ...elsewhere,
    url,
    set,
    refuses: (column: string, sql: string) => assert.rejects(set(column, sql), RULE, sql),
  }
}

/** Other faults are PostgreSQL's own: its types read no such text. */
const RULE = /parcels_\w+: |invalid input syntax|out of range|overflow|NOT NULL|not-null|cannot store|malformed array/
const literal = (text: string) => `'${text.replaceAll("'", "''")}'`

onEach('the rules for decimals, dates and URLs match the importer', async (t, engine) => {
  const { set, refuses, all } = await opened(t, engine)
  const stored = async (column: string) =>
    (await all<{ v: string }>(`SELECT CAST(${column} AS text) AS v FROM parcels`))[0]?.v
  for (const value of decimals.valid) {
    assert.ok(isDecimal(value), value)
    for (const column of ['rate', 'total']) {
      await set(column, literal(value))
      assert.equal(await stored(column), value)
    }
  }
  for (const value of [...decimals.invalid, ...decimals.notNumbers, ...decimals.otherForms]) {
    assert.ok(!isDecimal(value), value)
    if (engine === 'sqlite' || !decimals.otherForms.includes(value)) await refuses('weight', literal(value))
  }
  for (const value of dates.valid) {
    assert.ok(isDate(value), value)
    await set('day', literal(value))
    assert.equal(await stored('day'), value)
  }
  for (const value of dates.invalid) {
    assert.ok(!isDate(value), value)
    // PostgreSQL reads another form of a date.
    if (engine === 'sqlite' || value !== '2026-1-01') await refuses('paid_on', literal(value))
  }
  for (const value of urls.valid) {
    assert.ok(isHttpUrl(value), value)
    await set('site', literal(value))
  }
  for (const value of urls.invalid) {
    assert.ok(!isHttpUrl(value), value)
    await refuses('image', literal(value))
  }
  await refuses('image', literal(`http://${'a'.repeat(34)}`))
  await set('image', literal(`http://${'a'.repeat(33)}`))
  for (const column of ['site', 'day', 'rate', 'price', 'urgent', 'tags']) await refuses(column, 'NULL')
  for (const column of ['image', 'paid_on', 'weight', 'total', 'checked', 'state', 'notes']) await set(column, 'NULL')
  await refuses('state', "'lost'")
})

onEach('lists have a bounded number of bounded texts, and nothing else', async (t, engine) => {
  const { set, refuses } = await opened(t, engine)
  const list = (...items: string[]) =>
    engine === 'sqlite' ? literal(JSON.stringify(items)) : `ARRAY[${items.map(literal)}]::text[]`
  for (const items of [[], ['a', 'b', 'c'], ['🎄'.repeat(20)], ['"', '\\', "'", '\n\u0001', '']]) {
    await set('tags', list(...items.slice(0, 3)))
    await set('notes', list(...items))
  }
  await refuses('tags', list('a', 'b', 'c', 'd'))
  await refuses('tags', list('a'.repeat(21)))
  const foreign =
    engine === 'sqlite'
      ? ['"a"', '{}', '[1]', '[null]', '[["a"]]', '["a"', '["a" ]', '["\\u0061"]', '["\\u0000"]', '', 'null']
      : ['{NULL}', '{{a},{b}}']
  for (const value of foreign) await refuses('tags', literal(value))
})

test('SQLite stores nothing after a NUL character', async (t) => {
  const { refuses } = await opened(t, 'sqlite')
  for (const [column, value] of Object.entries({ day: '2026-11-16', rate: '1', site: 'http://a', tags: '[]' }))
    await refuses(column, `'${value}' || char(0) || 'x'`)
})

test('a SQLite boolean is 0 or 1', async (t) => {
  const { set, refuses } = await opened(t, 'sqlite')
  for (const value of ['0', '1', 'true', 'false']) await set('urgent', value)
  for (const value of ['2', '-1']) await refuses('checked', value)
})

test('doctor finds rows that were written without the rules', async (t) => {
  const { url, run, all } = await opened(t, 'sqlite')
  const triggers = await all<{ name: string }>(
    "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'parcels'",
  )
  for (const { name } of triggers) await run(`DROP TRIGGER ${name}`)
  const vitrine = program(t, { DATABASE_URL: url }, import.meta.resolve('../resources/kinds/index.ts'))
  for (const [column, value, fault] of [
    ['rate', "'01'", 'rate must be a decimal'],
    ['day', "'2026-02-29'", 'day must be a valid date'],
    ['checked', '7', 'checked must be a boolean'],
    ['tags', "'[1]'", 'tags.0 must be a string'],
    ['tags', "'x'", 'tags must be'],
    ['site', "'x'", 'site must be an absolute URL'],
  ] as const) {
    await run(`UPDATE parcels SET rate = '1', day = '2026-01-01', checked = 1, tags = '[]', site = 'http://a'`)
    await run(`UPDATE parcels SET ${column} = ${value}`)
    const { stdout } = await vitrine.run('doctor')
    assert.match(stdout, new RegExp(`parcels "a": ${fault}`))
  }
})
