import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodings, leakOf } from '../support/key-leaks.ts'
import { acmeProgram } from '../support/program.ts'

test('no command repeats a key that was typed in the wrong place', async (t) => {
  const { run, ok } = await acmeProgram(t)
  const key = await ok('key', 'create', '--workspace', 'acme', '--label', 'x')
  const commands = [
    ['key', 'revoke', key],
    ['key', 'list', '--workspace', key],
    ['key', 'create', '--workspace', 'acme', '--label', key],
    ['key', 'create', '--workspace', 'acme', '--label', 'x', '--permissions', key],
    ['key', 'create', '--workspace', 'acme', '--label', 'x', '--expires', encodings['encoded twice']?.(key) ?? ''],
    ['workspace', 'create', '--name', key, '--slug', 'other'],
    ['workspace', 'create', '--name', 'x', '--slug', 'other', '--timezone', key],
    ['member', 'add', '--workspace', 'acme', '--email', `${key}@acme.example`, '--role', 'owner'],
    ['task', 'import', '--workspace', 'acme', key],
    [key],
    ['key', key],
    ['key', 'list', `--${key}`],
  ]
  const outcomes = await Promise.all(commands.map((command) => run(...command)))
  outcomes.forEach(({ code, stdout, stderr }, i) => {
    assert.ok(code === 1 || code === 2, `${i}: ${stderr}`)
    assert.notEqual(stderr, '')
    assert.equal(leakOf(stdout + stderr, key), undefined, commands[i]?.join(' ').replaceAll(key, '<key>'))
  })
  assert.equal(leakOf(await ok('audit', '--workspace', 'acme', '--json'), key), undefined)
})

test('invisible characters are refused, and shown if an old label has them', async (t) => {
  const { run, ok, json, execute } = await acmeProgram(t)
  const refused = await run('key', 'create', '--workspace', 'acme', '--label', 'live\u202Eyek')
  assert.equal(refused.code, 2)
  assert.match(refused.stderr, /--label: must not contain U\+202E: invisible characters/)
  const named = await run('workspace', 'create', '--name', 'A\u2067cme', '--slug', 'other')
  assert.notEqual(named.code, 0)
  assert.match(named.stderr, /the name must not contain U\+2067/)
  const { id } = await json('key', 'create', '--workspace', 'acme', '--label', 'old')
  await execute(`UPDATE api_keys SET label = 'live\u202Eyek'`)
  assert.match(await ok('key', 'list', '--workspace', 'acme'), /live\[U\+202E\]yek/)
  assert.match(await ok('key', 'rotate', id, '--json'), /"label":"live\\u202eyek"/)
})
