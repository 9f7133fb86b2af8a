// Run once: it is about Prometheus, and what it scrapes is tried on both engines elsewhere.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { writeUnchecked } from '../support/database.ts'
import { installedProgram, skipWithout } from '../support/installed-program.ts'
import { freePort } from '../support/listen.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { startOperator } from '../support/operator.ts'
import { program } from '../support/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { waitUntil } from '../support/wait.ts'

const RULES = join(import.meta.dirname, '../../docs/metrics/alerts.yaml')

/** Scrapes and evaluates every second, and does not wait for a condition to last. */
async function startPrometheus(t: Parameters<typeof temporaryFolder>[0], target: string) {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'rules.yaml'), readFileSync(RULES, 'utf8').replaceAll(/^ +for: .*\n/gm, ''))
  const config = {
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: ['rules.yaml'],
    scrape_configs: [{ job_name: 'vitrine', static_configs: [{ targets: [target] }] }],
  }
  // JSON is YAML.
  writeFileSync(join(folder, 'prometheus.yaml'), JSON.stringify(config))
  const address = `127.0.0.1:${await freePort()}`
  const child = spawn(
    installedProgram('prometheus') ?? '',
    [
      '--config.file=prometheus.yaml',
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${address}`,
      '--log.level=error',
    ],
    { cwd: folder, stdio: 'ignore' },
  )
  const ended = once(child, 'exit')
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return async (): Promise<Set<string>> => {
    const response = await fetch(`http://${address}/api/v1/alerts`).catch(() => undefined)
    if (response?.status !== 200) return new Set(['starting'])
    const { data } = (await response.json()) as { data: { alerts: { labels: { alertname: string }; state: string }[] } }
    return new Set(data.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname))
  }
}

test(
  'a real Prometheus raises the alerts: none for a healthy server, then one for each failure',
  skipWithout('prometheus'),
  async (t) => {
    const databaseUrl = await migratedDatabaseUrl(t, 'sqlite')
    const { keys, store, createKey } = await startOperator(t, databaseUrl)
    const { token } = await createKey({ limit: 2, windowSeconds: 3600 })
    const settings = { METRICS_PORT: '0', DATABASE_URL: databaseUrl }
    const start = async () => {
      const server = await program(t, settings).start('serve')
      const metricsUrl = /^Metrics are at (\S+)$/m.exec(server.output())?.[1] ?? ''
      return { server, target: new URL(metricsUrl).host }
    }
    const sound = await start()
    const soundAlerts = await startPrometheus(t, sound.target)
    await waitUntil(async () => (await soundAlerts()).size === 0, { everyMs: 200 })
    assert.equal(await sound.server.stop(), 0)

    const expiresAt = new Date(Date.now() + 3 * 86_400_000).toISOString()
    await keys.create('acme', { label: 'y', permissions: ['tasks:read'], quota: null, expiresAt })
    const { id: leaked } = await createKey()
    const now = new Date().toISOString()
    await store.transaction((tx) =>
      tx.run(
        `INSERT INTO key_incidents (key_id, day, kind, count, first_at, last_at) VALUES (?, ?, 'url', 1, ?, ?)`,
        ...[leaked, now.slice(0, 10), now, now],
      ),
    )
    await writeUnchecked(databaseUrl, "UPDATE audit SET actor = 'z' WHERE number = 2")
    const { server, target } = await start()
    const alerts = await startPrometheus(t, target)
    // As if the disk were full.
    await store.transaction((tx) =>
      tx.run(`CREATE TRIGGER full BEFORE INSERT ON key_use BEGIN SELECT RAISE(ABORT, 'full'); END`),
    )
    const headers = { authorization: `Bearer ${token}` }
    const expected = ['AuditChainBroken', 'BackgroundFails', 'KeyExpiring', 'KeyLeaked', 'QuotaExhausted'].map(
      (name) => `Vitrine${name}`,
    )
    let firing: string[] = []
    await waitUntil(
      async () => {
        // Over ten minutes, more than one in ten seconds is refused.
        await Promise.all(Array.from({ length: 10 }, () => fetch(`${server.url}/tasks`, { headers })))
        // The rules have no duration here: a starting thread may look slow, and on a busy machine the server may look down, for
        // a moment.
        firing = [...(await alerts())].filter((name) => !/Slow$/.test(name)).sort()
        return firing.join() === expected.join()
      },
      { everyMs: 200 },
    ).catch((error) => {
      assert.deepEqual(firing, expected, error.message)
      throw error
    })
    assert.equal(await server.stop(), 0)
  },
)
