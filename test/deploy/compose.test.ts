import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { settingNames } from '../../src/config.ts'
import { program } from '../support/program.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const compose = read('compose.yaml')

/** The lines below a key, without those of its siblings. */
function below(key: string, text = compose): string {
  const [, indent, rest = ''] = new RegExp(`^( *)${key}:[^\\n]*\\n([^]*)`, 'm').exec(text) ?? []
  assert.ok(indent !== undefined, key)
  const lines = rest.split('\n')
  const end = lines.findIndex((line) => line.trim() !== '' && !line.startsWith(`${indent} `))
  return lines.slice(0, end === -1 ? undefined : end).join('\n')
}

const namesIn = (block: string) => [...block.matchAll(/^ +([A-Z][A-Z_]+): /gm)].map(([, name = '']) => name)

/** Of the runtime, not of Vitrine. */
const FOREIGN = ['NODE_COMPILE_CACHE']

test('every setting that compose.yaml passes to Vitrine exists', () => {
  const names = namesIn(below('environment', below('x-vitrine')))
  assert.ok(names.includes('DATABASE_URL_FILE'))
  for (const name of names.filter((name) => !FOREIGN.includes(name))) assert.ok(settingNames.includes(name), name)
})

test('compose.yaml passes Caddy what the Caddyfile needs', () => {
  const asked = [...read('docs/proxies/Caddyfile').matchAll(/\{\$([A-Z_]+)/g)].map(([, name = '']) => name)
  assert.deepEqual(namesIn(below('environment', below('proxy', below('services')))).sort(), asked.sort())
})

test('every file that compose.yaml mounts exists, and the guide creates every secret', () => {
  const guide = read('docs/deploying.md')
  for (const [, path = ''] of compose.matchAll(/- \.\/([^:]+):/g)) assert.ok(existsSync(join(root, path)), path)
  const secrets = [...compose.matchAll(/file: \.\/(secrets\/[\w-]+)/g)].map(([, path = '']) => path)
  assert.equal(secrets.length, 3)
  for (const path of secrets) assert.ok(guide.includes(`> ${path}`), path)
})

test('every service of compose.yaml is hardened, and only the proxy publishes ports', () => {
  const services = below('services')
  const names = [...services.matchAll(/^ {2}(\w+):/gm)].map(([, name = '']) => name)
  assert.deepEqual(names, ['postgres', 'migrate', 'vitrine1', 'vitrine2', 'sync', 'proxy'])
  for (const name of names) assert.match(services, new RegExp(`^ {2}${name}:(\\n {4}<<:)? \\*(hardened|vitrine)$`, 'm'))
  for (const line of ['read_only: true', 'cap_drop: [ALL]', "security_opt: ['no-new-privileges:true']"])
    assert.ok(below('x-hardened').includes(line), line)
  assert.match(below('x-vitrine'), /<<: \*hardened/)
  assert.equal(compose.match(/\bports:/g)?.length, 1)
  assert.match(below('proxy', services), /ports: \['80:80', '443:443'\]/)
})

interface Service {
  command?: string[]
  logging: { options: Record<string, string> }
  environment: Record<string, string>
  secrets?: string[]
}
const { services } = parse(compose, { merge: true }) as { services: Record<string, Service> }

test("the sync service has the others' settings and its token, and its command exists", async (t) => {
  const { environment, secrets = [], command = [] } = services.sync as Service
  assert.deepEqual(environment, { ...services.vitrine1?.environment, SYNC_TOKEN_FILE: '/run/secrets/sync-token' })
  assert.deepEqual(secrets, ['database-url', 'sync-token'])
  const given = command.map((word) => word.replace(/^\$\{\w+:-(.*)\}$/, '$1'))
  // Without a URL, and without a repetition that the test would wait for.
  const { code, stderr } = await program(t).run(...given.slice(0, -1))
  assert.deepEqual([code, stderr.includes('unknown')], [2, false], stderr)
})
