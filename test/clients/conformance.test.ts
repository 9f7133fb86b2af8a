import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startService } from '../support/service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { handshake, isApplicable, type Placed, stateless } from './conformance/placed.ts'
import { startRecordingProxy } from './recording-proxy.ts'

interface Check {
  id: string
  status: string
  errorMessage?: string
  details?: { statusCode?: number; tools?: string[]; body?: { code?: string; error?: unknown } }
}
type Checks = Map<string, Check[]>

const runs = [
  { path: '/mcp', revision: '2025-11-25', placed: handshake },
  { path: '/v2/mcp', revision: '2025-11-25', placed: handshake },
  { path: '/v2/mcp', revision: '2026-07-28', placed: stateless },
]

test('every scenario of the server suite is placed: put a new one into conformance/placed.ts', async (t) => {
  const { output } = await run(t, temporaryFolder(t), ['list', '--server'])
  const scenarios = [...output.matchAll(/^ {2}- (\S+) \[/gm)].map(([, name]) => name)
  assert.ok(scenarios.length > 60, output)
  const placed = new Set([handshake, stateless].flatMap((places) => Object.keys(places)))
  for (const scenario of scenarios) assert.ok(placed.has(scenario ?? '') || !isApplicable(scenario ?? ''), scenario)
})

for (const { path, revision, placed } of runs)
  suite(`@modelcontextprotocol/conformance, ${revision} on ${path}`, () => {
    test('every applicable scenario conforms, and no response is unknown to the schema', async (t) => {
      const checks = await conform(t, path, revision)
      for (const [scenario, expected] of Object.entries(placed))
        await t.test(`${scenario}: ${expected.passed}`, () => assertPlaced(checks.get(scenario), expected))
      for (const [scenario, made] of checks)
        if (placed[scenario] === undefined) {
          assert.ok(!isApplicable(scenario), scenario)
          const wire = made.filter(({ id }) => id === 'wire-schema-valid')
          for (const { status, errorMessage } of wire) assert.equal(status, 'SUCCESS', `${scenario}: ${errorMessage}`)
        }
      assert.deepEqual(toolsListed(checks), ['get_workspace', 'list_tasks'])
      const rebound = checks.get('dns-rebinding-protection')?.find(({ id }) => id.endsWith('rejected'))
      assert.equal(rebound?.details?.statusCode, 403)
      assert.equal(rebound.details.body?.code, 'origin_not_allowed')
    })
  })

const toolsListed = (checks: Checks) =>
  checks.get('tools-list')?.find(({ details }) => details?.tools !== undefined)?.details?.tools

function assertPlaced(checks: Check[] = [], { passed, untestable = {} }: Placed): void {
  const failed = checks.filter(({ status }) => !['SUCCESS', 'INFO'].includes(status))
  const words = failed.map(({ id, status, errorMessage }) => `${id} ${status} ${errorMessage}`).join('\n')
  assert.deepEqual(failed.map(({ id }) => id).sort(), Object.keys(untestable).sort(), words)
  assert.equal(checks.filter(({ status }) => status === 'SUCCESS').length, passed)
}

/** Runs all that the revision asks of a server, and what is reported without being scored, in one process. */
async function conform(t: TestContext, path: string, revision: string): Promise<Checks> {
  const service = await startService(t)
  const { url, exchanges } = await startRecordingProxy(t, service.url, service.key)
  const folder = temporaryFolder(t)
  const { output } = await run(t, folder, ['server', '--url', url + path, '--requirements', revision, '-o', folder])
  const results = globSync(join(folder, '*', 'checks.json')).map((file): [string, Check[]] => {
    const scenario = basename(dirname(file)).replace(/^server-(.+)-\d{4}-\d\d-\d\dT.*$/, '$1')
    return [scenario, JSON.parse(readFileSync(file, 'utf8')) as Check[]]
  })
  assert.ok(results.length > 30, output)
  assert.ok(exchanges().length > 30)
  return new Map(results)
}

const program = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'))

function run(t: TestContext, cwd: string, args: string[]): Promise<{ output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { cwd, signal: t.signal, maxBuffer: 2 ** 26 }, (_, out, words) =>
      resolve({ output: out + words }),
    )
  })
}
