import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { promisify } from 'node:util'
import { startService } from '../support/service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { programs, runTool, skipWithoutPrograms } from './programs.ts'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

const PROGRAM = `
  import createClient from 'openapi-fetch'
  import type { components, paths } from './schema.d.ts'
  const { VITRINE_URL: url = '', VITRINE_KEY: key = '' } = process.env
  const client = createClient<paths>({ baseUrl: url, headers: { authorization: \`Bearer \${key}\` } })
  const tasks = await client.GET('/tasks')
  const workspace = await client.GET('/workspace')
  const refused = await client.GET('/tasks', { headers: { authorization: 'Bearer none' } })
  const head = await client.HEAD('/tasks')
  const rpc = await client.POST('/mcp', { body: { jsonrpc: '2.0', id: 1, method: 'ping' } })
  const titles: string[] = (tasks.data?.tasks ?? []).map((task: components['schemas']['Task']) => task.title)
  const timezone: string | null | undefined = workspace.data?.workspace.timezone
  const code: string | undefined = refused.error?.code
  console.log(JSON.stringify({ titles, timezone, code, head: head.response.status, rpc: rpc.response.status }))
`

const tsconfig = {
  compilerOptions: {
    target: 'esnext',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['esnext', 'dom', 'dom.iterable'],
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
  },
}

test(
  'a client with the types that openapi-typescript generates compiles, and reads this service',
  skipWithoutPrograms(),
  async (t) => {
    const folder = temporaryFolder(t)
    symlinkSync(programs, join(folder, 'node_modules'))
    cpSync(join(root, 'contract/openapi.json'), join(folder, 'openapi.json'))
    const files = { 'package.json': '{"type":"module"}', 'tsconfig.json': JSON.stringify(tsconfig), 'main.ts': PROGRAM }
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    const generated = await runTool('openapi-typescript', folder, ['openapi.json', '--output', 'schema.d.ts'])
    assert.equal(generated.code, 0, generated.stdout + generated.stderr)
    const types = await run(join(root, 'node_modules/.bin/tsc'), ['--project', folder]).catch((failure) => failure)
    assert.equal(types.stdout, '')
    const service = await startService(t)
    await service.addTasks([{ id: 'task_1', title: 'Order the catalogue' }])
    const env = { VITRINE_URL: service.url, VITRINE_KEY: service.key }
    const { stdout } = await run(process.execPath, ['main.ts'], { cwd: folder, env })
    assert.deepEqual(JSON.parse(stdout), {
      titles: ['Order the catalogue'],
      timezone: 'Europe/London',
      code: 'unauthorized',
      head: 200,
      rpc: 200,
    })
  },
)
