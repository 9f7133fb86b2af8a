/** Each resource of the gallery, with its sample. */
import assert from 'node:assert/strict'
import { existsSync, globSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { freshDatabaseUrl } from '../../support/database.ts'
import { program } from '../../support/program.ts'

const GALLERY = join(import.meta.dirname, '../../../examples/resources')
const names = readdirSync(GALLERY)
  .filter((file) => file.endsWith('.json'))
  .map((file) => basename(file, '.json'))

test("the gallery's files are without faults or warnings, and take their samples", async (t) => {
  const vitrine = program(t, { DATABASE_URL: await freshDatabaseUrl(t), RESOURCES: GALLERY })
  const { ok, files } = JSON.parse(await vitrine.ok('resource', 'check', '--json')) as {
    ok: boolean
    files: { warnings: unknown[] }[]
  }
  assert.deepEqual([ok, files.map(({ warnings }) => warnings)], [true, names.map(() => [])])
  await vitrine.ok('migrate')
  await vitrine.ok('workspace', 'create', '--name', 'Acme', '--slug', 'acme', '--timezone', 'Europe/Lisbon')
  for (const { name, command } of JSON.parse(await vitrine.ok('resource', 'list', '--json')) as {
    name: string
    command: string
  }[]) {
    const map = join(GALLERY, 'samples', `${name}.map.json`)
    const [sample = ''] = globSync(`${name}.{csv,ndjson,json}`, { cwd: join(GALLERY, 'samples') })
    const options = ['--workspace', 'acme', ...(existsSync(map) ? ['--map', map] : [])]
    await vitrine.ok(command, 'import', ...options, join(GALLERY, 'samples', sample))
    assert.notEqual((await vitrine.ok(command, 'list', '--workspace', 'acme', '--json')).trim(), '', name)
  }
})
