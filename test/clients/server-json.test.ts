import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'))

const schema = read('test/clients/schema/server-2025-12-11.json')
const server = read('server.json')
const validate = addFormats.default(new Ajv({ strict: false, allErrors: true })).compile(schema)

test("server.json is valid against the MCP registry's schema", () => {
  assert.equal(server.$schema, schema.$id)
  assert.ok(validate(server), JSON.stringify(validate.errors))
  assert.ok(!validate({ ...(server as object), description: 'x'.repeat(101) }))
})

test('server.json has this version, and the package names the server', () => {
  const { version, mcpName } = read('package.json')
  assert.equal(mcpName, server.name)
  assert.equal(server.version, version)
})

test('server.json and the guides refer to no name that the npm registry lacks', () => {
  assert.equal(server.packages, undefined)
  // Two guides warn of it.
  for (const page of ['README.md', ...globSync('docs/*.md', { cwd: root })])
    assert.doesNotMatch(readFileSync(join(root, page), 'utf8'), /npx vitrine(?!` would fetch)/, page)
})

test("server.json's remote is a path of the API", () => {
  assert.ok(Object.hasOwn(read('contract/openapi.json').paths, new URL(server.remotes[0].url).pathname))
})
