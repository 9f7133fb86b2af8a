import { Command } from 'commander'
import { readConfig } from '../config.ts'
import type { HealthFinding, KeyRecord, OperatorStore } from '../storage/store.ts'
import { operate } from './operate.ts'
import { ExitCode } from './outcome.ts'
import { print, printJson } from './output.ts'

const SOON_MS = 14 * 86_400_000

export const command = () =>
  new Command('doctor')
    .description('check the settings, the runtime and the database; exit code 1 if anything is wrong')
    .option('--json', 'print the findings as a JSON array')
    .action(async ({ json }: { json?: true }) => {
      const findings = [runtime(), settings(), ...(await database())]
      if (json) printJson(findings)
      else for (const { check, ok, detail } of findings) print(`${ok ? 'ok  ' : 'FAIL'}  ${check}: ${detail}`)
      if (findings.some(({ ok }) => !ok)) process.exitCode = ExitCode.failed
    })

const runtime = (): HealthFinding => ({ check: 'runtime', ok: true, detail: `Node.js ${process.versions.node}` })

function settings(): HealthFinding {
  try {
    readConfig(process.env)
    return { check: 'settings', ok: true, detail: 'all usable' }
  } catch (error) {
    return { check: 'settings', ok: false, detail: (error as Error).message }
  }
}

async function database(): Promise<HealthFinding[]> {
  try {
    return await operate(async (store) => [...(await store.examine()), await contents(store)])
  } catch (error) {
    return [{ check: 'database', ok: false, detail: (error as Error).message }]
  }
}

function contents(store: OperatorStore): Promise<HealthFinding> {
  return store.read(async (tx) => {
    const workspaces = await tx.workspaces()
    const keys = (await Promise.all(workspaces.map(({ id }) => tx.keys(id)))).flat()
    const live = keys.filter(isLive)
    const soon = live.filter(({ expiresAt }) => expiresAt !== null && Date.parse(expiresAt) < Date.now() + SOON_MS)
    const expiring = soon.length === 0 ? '' : `; expiring within 14 days: ${soon.map(({ id }) => id).join(', ')}`
    return {
      check: 'contents',
      ok: true,
      detail: `${workspaces.length} workspaces, ${live.length} live keys${expiring}`,
    }
  })
}

const isLive = ({ revokedAt, expiresAt }: KeyRecord) =>
  revokedAt === null && (expiresAt === null || Date.parse(expiresAt) > Date.now())
