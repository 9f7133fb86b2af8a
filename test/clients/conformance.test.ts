import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../support/database.ts'
import { startService } from '../support/service.ts'
import { startKeyAddingProxy } from './key-adding-proxy.ts'

interface Check {
  id: string
  status: string
  details?: { statusCode?: number; tools?: string[]; body?: { code?: string } }
}

suite('@modelcontextprotocol/conformance', { concurrency: 2 }, () => {
  test('the handshake conforms', async (t) => {
    assert.deepEqual(verdicts(await conform(t, 'server-initialize')), ['server-initialize SUCCESS'])
  })

  test('ping conforms', async (t) => {
    assert.deepEqual(verdicts(await conform(t, 'ping')), ['ping SUCCESS'])
  })

  test('the list of tools conforms, and is ours', async (t) => {
    const checks = await conform(t, 'tools-list')
    assert.deepEqual(verdicts(checks), ['tools-list SUCCESS'])
    assert.deepEqual(checks[0]?.details?.tools, ['get_workspace', 'list_tasks'])
  })

  test('a rebound name is refused for its origin despite the key, and this machine is let in', async (t) => {
    const checks = await conform(t, 'dns-rebinding-protection')
    assert.deepEqual(verdicts(checks), [
      'localhost-host-rebinding-rejected SUCCESS',
      'localhost-host-valid-accepted SUCCESS',
    ])
    const [rejected, accepted] = checks
    assert.equal(rejected?.details?.statusCode, 403)
    assert.equal(rejected.details.body?.code, 'origin_not_allowed')
    assert.equal(accepted?.details?.statusCode, 200)
  })
})

const verdicts = (checks: Check[]) => checks.map(({ id, status }) => `${id} ${status}`)

/** Runs one scenario against the whole service; its exit code must be 0. Gives the checks that it says it made. */
async function conform(t: TestContext, scenario: string): Promise<Check[]> {
  const service = await startService(t)
  const url = `${await startKeyAddingProxy(t, service.url, service.key)}/mcp`
  const folder = temporaryFolder(t)
  const { exitCode, output } = await run(t, folder, ['server', '--url', url, '--scenario', scenario, '-o', folder])
  assert.equal(exitCode, 0, output)
  const [results = 'none', ...others] = globSync(join(folder, '*', 'checks.json'))
  assert.deepEqual(others, [])
  const checks = JSON.parse(readFileSync(results, 'utf8')) as Check[]
  assert.match(output, new RegExp(`Passed: ${checks.length}/${checks.length}, 0 failed, 0 warnings`))
  return checks
}

const program = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'))

function run(t: TestContext, cwd: string, args: string[]): Promise<{ exitCode: unknown; output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { cwd, signal: t.signal, timeout: 60_000 }, (error, out, words) =>
      resolve({ exitCode: error === null ? 0 : error.code, output: out + words }),
    )
  })
}
