import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, openSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { acmeProgram, PROGRAM, type Program } from '../support/program.ts'

/** Runs a command whose output goes to a pipe without a reader. */
async function runUnread({ env, folder }: Program, ...args: string[]) {
  // The reader has ended before the command starts.
  const shell = 'exec 3> >(exit 0); wait $!; exec "$0" "$@" >&3 3>&-'
  const child = spawn('bash', ['-c', shell, PROGRAM, ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  return { code, stderr }
}

test('a listing whose reader has gone ends quietly', async (t) => {
  const vitrine = await acmeProgram(t)
  for (const args of [
    ['audit', '--workspace', 'acme', '--json'],
    ['audit', '--workspace', 'acme'],
    ['workspace', 'list'],
    ['--help'],
  ])
    assert.deepEqual(await runUnread(vitrine, ...args), { code: 0, stderr: '' }, args.join(' '))
})

test('a key or link that no one received is reported as lost, with advice', async (t) => {
  const vitrine = await acmeProgram(t)
  await vitrine.ok('member', 'add', '--workspace', 'acme', '--email', 'a@b.example', '--role', 'owner')
  const lost = /the result could not be written to stdout \(EPIPE\); revoke (key_\w+) and create another("|$)/m
  const create = ['key', 'create', '--workspace', 'acme', '--label', 'x']
  for (const [args, start] of [
    [create, 'vitrine: the result'],
    [[...create, '--json'], '{"error":{"message":"the result'],
  ] as const) {
    const { code, stderr } = await runUnread(vitrine, ...args)
    assert.equal(code, 1)
    assert.match(stderr, lost)
    assert.ok(stderr.includes(start), stderr)
    assert.doesNotMatch(stderr, /\n\s+at /)
    assert.equal((await runUnread(vitrine, 'key', 'rotate', lost.exec(stderr)?.[1] ?? '')).code, 1)
  }
  assert.equal((await runUnread(vitrine, 'member', 'link', '--email', 'a@b.example')).code, 1)
})

const withFullDisk = existsSync('/dev/full') ? {} : { skip: 'no /dev/full' }

async function onFullDisk({ env, folder }: Program, ...words: string[]) {
  const full = openSync('/dev/full', 'w')
  const child = spawn(PROGRAM, words, { cwd: folder, env, stdio: ['ignore', full, 'pipe'] })
  const [stderr, [code]] = await Promise.all([text(child.stderr as Readable), once(child, 'close')])
  return { code, stderr }
}

test('a result that does not fit on the disk is a failure', withFullDisk, async (t) => {
  const stderr = 'vitrine: the result could not be written to stdout (ENOSPC)\n'
  assert.deepEqual(await onFullDisk(await acmeProgram(t), 'workspace', 'list'), { code: 1, stderr })
})

test('apply creates no key that does not fit on the disk', withFullDisk, async (t) => {
  const vitrine = await acmeProgram(t)
  const file = vitrine.writeFile('file.json', '{"workspaces":[{"slug":"acme","keys":[{"label":"x"}]}]}')
  const { code, stderr } = await onFullDisk(vitrine, 'apply', file)
  assert.equal(code, 1)
  assert.match(stderr, /could not be written to stdout \(ENOSPC\)/)
  assert.deepEqual(await vitrine.json('key', 'list', '--workspace', 'acme'), [])
})

test('a server continues when its output is no longer read', async (t) => {
  const server = await (await acmeProgram(t)).start('serve')
  server.child.stdout?.destroy()
  server.child.stderr?.destroy()
  for (let i = 0; i < 20; i++) {
    assert.equal((await fetch(`${server.url}/tasks`)).status, 401)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  assert.equal(await server.stop(), 0)
})
