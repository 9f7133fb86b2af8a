import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { documentedCode } from '../support/documented.ts'
import { installedProgram, skipWithout } from '../support/installed-program.ts'

const root = join(import.meta.dirname, '../..')
const units = join(root, 'deploy/systemd')
const services = ['vitrine@.service', 'vitrine-sync@.service', 'vitrine-backup.service']
const read = (name: string) => readFileSync(join(units, name), 'utf8')
const PROGRAM = '/opt/vitrine/bin/vitrine'

/** The units as they are installed, with the drop-in, and with the program of this clone. */
function installUnits(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-units-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of [...services, 'vitrine-sync@.timer', 'vitrine-backup.timer'])
    writeFileSync(join(folder, name), read(name).replaceAll(PROGRAM, join(root, 'bin/vitrine')))
  for (const name of services) {
    mkdirSync(join(folder, `${name}.d`))
    cpSync(join(units, 'database-url.conf'), join(folder, `${name}.d/database-url.conf`))
  }
  return folder
}

const analyze = (folder: string, ...args: string[]) =>
  spawnSync(installedProgram('systemd-analyze') as string, args, {
    cwd: folder,
    env: { ...process.env, SYSTEMD_UNIT_PATH: `${folder}:` },
    encoding: 'utf8',
  })

test('systemd finds nothing wrong with the units', skipWithout('systemd-analyze'), (t) => {
  const syncs = ['./vitrine-sync@tracker.service', './vitrine-sync@tracker.timer']
  const instances = ['./vitrine@3000.service', ...syncs, './vitrine-backup.service', './vitrine-backup.timer']
  const { status, stderr } = analyze(installUnits(t), 'verify', '--man=no', ...instances)
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
})

test("the services' exposure is not above the documented figure", skipWithout('systemd-analyze'), (t) => {
  const guide = readFileSync(join(root, 'docs/deploying.md'), 'utf8')
  const documented = Number(/`systemd-analyze security --offline=yes` reports \*\*([\d.]+)\*\*/.exec(guide)?.[1])
  const folder = installUnits(t)
  for (const unit of ['./vitrine@3000.service', './vitrine-sync@tracker.service', './vitrine-backup.service']) {
    const threshold = `--threshold=${Math.round(documented * 10)}`
    const { status, stdout, stderr } = analyze(folder, 'security', '--offline=yes', threshold, unit)
    assert.equal(status, 0, `${unit}: ${stdout.trim().split('\n').at(-1)} ${stderr}`)
  }
})

test('the server, the syncs and the backups run in the same sandbox', () => {
  const [server, ...others] = services.map((name) => /^# Sandbox.*\n(?:\w+=.*\n)+/m.exec(read(name))?.[0])
  assert.ok(server !== undefined)
  assert.deepEqual(others, [server, server])
})

test("the guide's commands open the service's database, and no other", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-commands-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const url = `sqlite:${join(folder, 'service.db')}`
  const run = (command: string) =>
    spawnSync('sh', ['-e'], { cwd: folder, env: { PATH: process.env.PATH }, input: command, encoding: 'utf8' })
  assert.equal(run(`DATABASE_URL=${url} ${root}/bin/vitrine workspace create --name Acme --slug acme`).status, 0)
  // `sudo` and `sudo -u vitrine` take assignments, as env does.
  const inTest = (command: string) =>
    command
      .replace(/^sudo (-u vitrine )?/, 'env ')
      .replaceAll('/etc/vitrine', folder)
      .replaceAll(PROGRAM, join(root, 'bin/vitrine'))
  for (const [words, settings] of [
    ['--env-file /etc/vitrine/vitrine.env workspace list', { 'vitrine.env': `DATABASE_URL=${url}` }],
    ['sudo DATABASE_URL_FILE', { 'vitrine.env': '', 'database-url': url }],
  ] as const) {
    for (const [name, text] of Object.entries(settings)) writeFileSync(join(folder, name), text)
    const { stdout, stderr } = run(inTest(documentedCode('docs/deploying.md', 'sh', words)))
    assert.match(stdout, /^acme /m, stderr)
  }
  assert.equal(existsSync(join(folder, 'data')), false)
})
