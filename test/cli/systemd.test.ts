import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { program } from '../support/program.ts'
import { gather, waitUntil } from '../support/wait.ts'

/** Node.js has no datagram sockets of this family. */
const RECEIVER = `
import socket, sys
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.bind(sys.argv[1])
print('bound', flush=True)
while True:
    print(receiver.recv(4096).decode(), flush=True)
`

const isThere = (name: string) => spawnSync(name, ['--version']).status === 0
const missing = ['systemd-notify', 'python3'].filter((name) => !isThere(name))

test(
  'systemd is notified when the server listens, and that it is alive',
  missing.length > 0 ? { skip: `needs ${missing}` } : {},
  async (t) => {
    const vitrine = program(t)
    const socket = join(vitrine.folder, 'notify')
    const receiver = spawn('python3', ['-c', RECEIVER, socket], { stdio: ['ignore', 'pipe', 'inherit'] })
    t.after(() => receiver.kill())
    const received = gather(receiver.stdout)
    await waitUntil(() => received().includes('bound'))
    Object.assign(vitrine.env, { NOTIFY_SOCKET: socket, WATCHDOG_USEC: '600000' })
    const server = await vitrine.start('serve')
    await waitUntil(() => received().includes('READY=1') && received().includes('WATCHDOG=1'))
    assert.equal((await fetch(`${server.url}/healthz`)).status, 200)
    assert.equal(await server.stop(), 0)
    assert.doesNotMatch(server.output(), /systemd was not notified/)
  },
)
