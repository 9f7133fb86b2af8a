/** Builds the image from the Containerfile, on bases created from Debian's packages, and runs it with podman. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { promisify } from 'node:util'
import { skipWithout } from '../support/installed-program.ts'
import { freePort } from '../support/listen.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { waitUntil } from '../support/wait.ts'

const root = join(import.meta.dirname, '../..')
const PREFIX = 'localhost/vitrine-test'
/** The machine's own: its registry may be behind an authority that Debian does not know. */
const CERTIFICATES = '/etc/ssl/certs'
/** What works in a container and on machines whose kernel lacks overlay file systems. */
const env = { ...process.env, STORAGE_DRIVER: 'vfs', BUILDAH_ISOLATION: 'chroot' }

async function run(command: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, { env, cwd: root, maxBuffer: 2 ** 28 })
  return stdout.trim()
}

const podman = (...args: string[]) => run('podman', '--runtime', 'runc', ...args)

/** Debian as debootstrap installs it, and the same with the machine's own Node.js and npm. */
async function createBases(folder: string): Promise<void> {
  const debian = join(folder, 'debian')
  await run('debootstrap', '--variant=minbase', '--include=ca-certificates', 'bookworm', debian)
  await run('sh', '-c', `tar -C '${debian}' -c . | podman import - ${PREFIX}-debian`)
  const npm = dirname(dirname(await run('realpath', await run('sh', '-c', 'command -v npm'))))
  const context = join(folder, 'node')
  mkdirSync(join(context, 'bin'), { recursive: true })
  cpSync(await run('sh', '-c', 'command -v node'), join(context, 'bin/node'))
  cpSync(npm, join(context, 'npm'), { recursive: true })
  writeFileSync(join(context, 'bin/npm'), '#!/bin/sh\nexec node /opt/npm/bin/npm-cli.js "$@"\n', { mode: 0o755 })
  writeFileSync(
    join(context, 'Containerfile'),
    `FROM ${PREFIX}-debian\nENV NODE_EXTRA_CA_CERTS=${CERTIFICATES}/ca-certificates.crt\nCOPY npm /opt/npm\nCOPY bin/node bin/npm /usr/local/bin/\n`,
  )
  await run('buildah', 'bud', '--tag', `${PREFIX}-node`, context)
}

const options = skipWithout('podman', 'buildah', 'runc', 'debootstrap')
if (process.getuid?.() !== 0) options.skip ??= 'debootstrap needs root'

test('the image builds, and serves without root on a read-only file system', options, async (t) => {
  const folder = temporaryFolder(t)
  await createBases(folder)
  await run(
    'buildah',
    ...['bud', '--format', 'docker', '--network', 'host', '--tag', PREFIX],
    ...['--volume', `${CERTIFICATES}:${CERTIFICATES}:ro`],
    ...['--build-arg', `BUILD_IMAGE=${PREFIX}-node`, '--build-arg', `RUNTIME_IMAGE=${PREFIX}-debian`],
    ...['--build-arg', 'COMMIT=0123456789abcdef0123456789abcdef01234567', '--build-arg', 'VERSION=1.0.0', '.'],
  )
  const port = await freePort()
  const name = `vitrine-test-${port}`
  const hardened = ['--read-only', '--cap-drop=all', '--security-opt=no-new-privileges', '--network=host']
  const start = (...command: string[]) =>
    podman(
      'run',
      '--detach',
      '--name',
      name,
      ...hardened,
      '--env',
      `PORT=${port}`,
      '--volume',
      `${name}:/data`,
      PREFIX,
      ...command,
    )
  const isReady = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined)
    return response?.ok === true
  }
  const remove = () => podman('rm', '--force', name).catch(() => '')
  t.after(async () => {
    await remove()
    await podman('volume', 'rm', '--force', name)
  })

  await t.test('it shows the demo, as process 1, as an arbitrary user, and cannot change its own code', async () => {
    await start('demo')
    await waitUntil(isReady)
    const [key = ''] = /vtr_\w+/.exec(await podman('logs', name)) ?? []
    const tasks = await fetch(`http://127.0.0.1:${port}/tasks`, { headers: { authorization: `Bearer ${key}` } })
    assert.equal(tasks.status, 200)
    assert.match(await podman('exec', name, 'cat', '/proc/1/cmdline'), /dist\/cli\/main\.js/)
    assert.match(await podman('exec', name, 'id'), /uid=10001.*gid=10001/)
    await assert.rejects(podman('exec', name, 'touch', '/app/bin/vitrine'))
    assert.equal(await podman('exec', name, 'vitrine', '--version'), 'vitrine 1.0.0 (0123456)')
  })

  await t.test('the health check tests readiness', async () => {
    await podman('healthcheck', 'run', name)
    const check = await podman('image', 'inspect', PREFIX, '--format', '{{json .HealthCheck}}')
    assert.match(check, /readyz/)
  })

  await t.test('it has labels', async () => {
    const labels = JSON.parse(await podman('image', 'inspect', PREFIX, '--format', '{{json .Labels}}'))
    assert.equal(labels['org.opencontainers.image.version'], '1.0.0')
    assert.equal(labels['org.opencontainers.image.licenses'], 'MIT')
  })

  await t.test('SIGTERM stops it by itself, and its data is in the volume', async () => {
    await podman('stop', '--time', '15', name)
    assert.equal(await podman('inspect', name, '--format', '{{.State.ExitCode}}'), '0')
    await remove()
    await start('serve')
    await waitUntil(isReady)
    assert.match(await podman('exec', name, 'vitrine', 'workspace', 'list'), /northwind/)
  })
})
