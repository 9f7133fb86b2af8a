import assert from 'node:assert/strict'
import { test } from 'node:test'
import { program } from '../support/program.ts'

const FURTHER = import.meta.resolve('./further-resources.ts')

test(`a server serves the resources that the program was built with`, async (t) => {
  const vitrine = program(t, {}, FURTHER)
  await vitrine.ok('workspace', 'create', '--name', 'Acme', '--slug', 'acme')
  const key = await vitrine.ok('key', 'create', '--workspace', 'acme', '--label', 'x')
  vitrine.env.LIFECYCLE = '{"/unicorns":{"deprecation":"2026-01-01T00:00:00Z"}}'
  assert.match(await vitrine.ok('doctor'), /^ok {4}settings: all valid$/m)
  const server = await vitrine.start('serve')
  const response = await fetch(`${server.url}/unicorns`, { headers: { authorization: `Bearer ${key}` } })
  assert.equal(await response.text(), '{"unicorns":"Müller’s"}')
  assert.equal(response.headers.get('deprecation'), '@1767225600')
})
