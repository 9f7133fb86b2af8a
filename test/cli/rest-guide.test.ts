import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import test from 'node:test'
import { documentedBlocks, documentedCode } from '../support/documented.ts'
import { program } from '../support/program.ts'

const root = join(import.meta.dirname, '../..')
const PAGE = 'docs/rest.md'

/** What a server announces for a path with this LIFECYCLE entry. */
function announced(setting: string, path: string): string {
  const { deprecation, sunset, link } = JSON.parse(setting)[path]
  return [
    'HTTP/1.1 401 Unauthorized',
    `Deprecation: @${Date.parse(deprecation) / 1000}`,
    `Sunset: ${new Date(sunset).toUTCString()}`,
    `Link: <${link}>; rel="deprecation"\n`,
  ].join('\n')
}

const settingIn = (block: string) => /^export LIFECYCLE='(.*)'$/m.exec(block)?.[1] ?? ''

test('the guide shows how a path is deprecated, and the resulting responses', async (t) => {
  const block = documentedCode(PAGE, 'sh', 'LIFECYCLE')
  const shown = documentedBlocks(PAGE).find(({ text }) => text.startsWith('HTTP/1.1'))?.text
  assert.equal(shown, announced(settingIn(block), '/v1/mcp'))

  // A sunset must be in the future: the same dates in later years.
  const year = new Date().getFullYear()
  const ahead = block.replaceAll('2027-', `${year + 1}-`).replaceAll('2028-', `${year + 2}-`)
  const vitrine = program(t)
  await vitrine.ok('workspace', 'create', '--name', 'Acme', '--slug', 'acme')
  const doctor = spawnSync('sh', ['-e'], { cwd: root, env: vitrine.env, input: ahead, encoding: 'utf8' })
  assert.equal(doctor.status, 0, doctor.stdout + doctor.stderr)

  vitrine.env.LIFECYCLE = settingIn(ahead)
  const server = await vitrine.start('serve')
  const ask = documentedCode(PAGE, 'sh', 'grep -E').replaceAll('http://127.0.0.1:3000', server.url)
  const { stdout } = spawnSync('sh', ['-e'], { input: ask, encoding: 'utf8' })
  assert.equal(stdout.replaceAll('\r', ''), announced(settingIn(ahead), '/v1/mcp'))
  for (const path of ['/mcp', '/v2/mcp']) {
    const silent = spawnSync('sh', [], { input: ask.replaceAll('/v1/mcp', path), encoding: 'utf8' })
    assert.equal(silent.stdout.replaceAll('\r', ''), 'HTTP/1.1 401 Unauthorized\n')
  }
})
