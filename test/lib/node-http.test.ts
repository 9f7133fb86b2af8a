import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'

const HEAVY = /deps\/undici|http2|tls/

function heavyModulesOf(module: string): string[] {
  const program = `await import(${JSON.stringify(import.meta.resolve(module))}); console.log(process.moduleLoadList.join())`
  const loaded = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' })
  return loaded.split(',').filter((name) => HEAVY.test(name))
}

test('neither the server nor its notices load undici, HTTP/2 or TLS', () => {
  for (const module of ['../../src/app.ts', '../../src/notices/timer.ts'])
    assert.deepEqual(heavyModulesOf(module), [], module)
  assert.notDeepEqual(heavyModulesOf('node:http'), [])
})
