import { clockError } from '../../../audit/trusted-time.ts'
import { verifyEveryChain } from '../../../audit/verify.ts'
import { readSetting } from '../../../config.ts'
import type { HealthFinding } from '../../../database/finding.ts'
import { examineFiles } from '../../../database/open.ts'
import type { ReadingStore, TableChunk, Transaction } from '../../../database/store.ts'
import { type Table, tablesOf } from '../../../database/table.ts'
import { definitionDifferences, tablesInUse } from '../../../database/tables/declared-tables.ts'
import { sourceStateOf } from '../../../import/source-state.ts'
import { listEverySource, type Source } from '../../../import/sources.ts'
import { countKeys } from '../../../keys/evaluate.ts'
import { examineRevivedKeys } from '../../../keys/revived.ts'
import { DAY_MS, MINUTE_MS } from '../../../lib/duration.ts'
import { counted, formatCount } from '../../../lib/format-count.ts'
import { isoOf } from '../../../lib/instant.ts'
import { rememberedResources, unrecordedSunsets } from '../../../resources/declared/retirement.ts'
import type { Resource } from '../../../resources/define.ts'
import { listWorkspaces } from '../../../workspaces/records.ts'
import { Command } from '../../command.ts'
import { type Context, givenDatabase } from '../../context.ts'
import { ExitCode, messageOf } from '../../errors.ts'
import { isJson, print, printJson, sanitize, type Verdict, verdict } from '../../terminal/output.ts'
import { showCount, showPhase, withProgress } from '../../terminal/progress.ts'
import { entryCounter } from '../audit.ts'
import { examineRows } from './rows.ts'
import { examineSettings } from './settings.ts'

export const command = (context: Context) =>
  new Command('doctor')
    .description('check the settings, the runtime and the database; exit code 1 if anything is wrong')
    .notes('\nIt changes nothing, works while the server runs, and reads every row of the database.')
    .examples('doctor', 'doctor --json')
    .withResult(async () => {
      const findings = await withProgress('checking the settings', async () => [
        { check: 'runtime', ok: true, detail: `Node.js ${process.versions.node}` },
        ...(await examineSettings(process.env, context)),
        ...(await database(context)),
      ])
      if (findings.some(({ ok }) => !ok)) process.exitCode = ExitCode.failure
      if (isJson()) return printJson({ ok: findings.every(({ ok }) => ok), checks: findings.map(asJson) })
      for (const finding of findings) print(asLine(finding))
    })

const stateOf = ({ ok, isWarning }: HealthFinding): Verdict => (ok ? (isWarning ? 'warning' : 'ok') : 'failed')

function asLine(finding: HealthFinding): string {
  const { check, detail, hint } = finding
  return `${verdict(stateOf(finding))}  ${check}: ${sanitize(hint === undefined ? detail : `${detail}; ${hint}`)}`
}

const asJson = (finding: HealthFinding) => ({
  name: finding.check,
  state: stateOf(finding),
  message: finding.detail,
  hint: finding.hint ?? null,
})

async function database({ resources, withReadingStore }: Context): Promise<HealthFinding[]> {
  showPhase('checking the database')
  const files = await orFailure('database', async () => examineFiles(givenDatabase()))
  // Opening a damaged file could change it: an empty one would be initialised as a database.
  if (files.some(({ check, ok }) => !ok && check !== 'file permissions')) return files
  const opened = await orFailure('database', () =>
    withReadingStore(async (store) => [
      ...(await orFailure('database', () => store.examine())),
      ...(await orFailure('declared resources', () => store.read((tx) => examineDefinitions(tx, resources)))),
      ...(await orFailure('contents', () => contents(store))),
      ...(await orFailure('ended keys', () => store.read(examineRevivedKeys))),
      ...(await orFailure('recorded times', () => clock(store))),
      ...(await orFailure('sources', () => examineSources(store, tablesOf(resources)))),
      ...(await orFailure('rows', async () => {
        const remembered = await store.read(rememberedResources)
        return examineRows(everyRow(store), tablesInUse(tablesOf(resources), remembered))
      })),
      ...(await orFailure('audit chain', () => auditChain(store))),
    ]),
  )
  return [...files, ...opened]
}

/** Files that differ from what the database remembers, and announced sunsets that it does not. */
async function examineDefinitions(tx: Transaction, resources: readonly Resource[]): Promise<HealthFinding[]> {
  const remembered = await rememberedResources(tx)
  const check = (resource: string) => ({ check: `resource ${resource}`, ok: true, isWarning: true })
  const differing = definitionDifferences(tablesOf(resources), remembered)
  return [
    ...differing.map(({ resource, reason }) => ({ ...check(resource), detail: reason })),
    ...unrecordedSunsets(remembered, readSetting(process.env, 'LIFECYCLE')).map((resource) => ({
      ...check(resource),
      detail: 'LIFECYCLE announces a sunset that is not recorded',
      hint: "run 'vitrine migrate'",
    })),
  ]
}

/** A check that throws must not hide the findings of the others. */
async function orFailure(check: string, examine: () => Promise<HealthFinding | HealthFinding[]>) {
  try {
    return [await examine()].flat()
  } catch (error) {
    return [{ check, ok: false, detail: messageOf(error) }]
  }
}

async function contents(store: ReadingStore): Promise<HealthFinding> {
  const workspaces = await store.read(listWorkspaces)
  const { states, attention } = await countKeys(store, Date.now())
  const idsText = ({ count, ids }: { count: number; ids: string[] }) =>
    `${ids.join(', ')}${count > ids.length ? ` and ${formatCount(count - ids.length)} others` : ''}`
  const { leaked, expiring } = attention
  return {
    check: 'contents',
    ok: true,
    isWarning: leaked.count + expiring.count > 0,
    detail: [
      `${workspaces.length} workspaces, ${states.live + states.expiring + states.rotating} live keys`,
      ...(leaked.count === 0 ? [] : [`leaked in a URL or a browser: ${idsText(leaked)}`]),
      ...(expiring.count === 0 ? [] : [`expiring within 14 days: ${idsText(expiring)}`]),
    ].join('; '),
  }
}

async function clock(store: ReadingStore): Promise<HealthFinding> {
  const { behindMs, aheadMs, recordedMs } = await store.read(clockError)
  const finding = { check: 'recorded times', ok: true }
  if (behindMs + aheadMs === 0) return { ...finding, detail: 'close to the clock' }
  const than = `the latest time recorded in the database, ${isoOf(recordedMs)}`
  const [unitMs, unit] = behindMs < 2 * DAY_MS ? [MINUTE_MS, 'minute'] : [DAY_MS, 'day']
  const [detail, hint] =
    behindMs > 0
      ? [
          `the clock is ${counted(Math.floor(behindMs / unitMs), unit)} behind ${than}`,
          'correct the clock: while it is behind, keys work after their expiry. If the clock is right now, it was ahead when that record was written',
        ]
      : [
          `${formatCount(Math.floor(aheadMs / DAY_MS))} days ahead of ${than}`,
          'correct the clock; until then, retention uses the recorded time. If the clock is right, nothing has been used or changed since then',
        ]
  return { ...finding, isWarning: true, detail, hint }
}

async function* everyRow(store: ReadingStore): AsyncGenerator<TableChunk> {
  let rows = 0
  for await (const chunk of store.dump({ withOrphans: true })) {
    rows += chunk.rows.length
    showCount('reading every row', rows, 'rows')
    yield chunk
  }
}

async function auditChain(store: ReadingStore): Promise<HealthFinding> {
  const check = 'audit chain'
  const reports = await store.read(async (tx) => {
    const ids = (await listWorkspaces(tx)).map(({ id }) => id)
    return verifyEveryChain(tx, ids, entryCounter())
  })
  const broken = reports.filter(({ fault }) => fault !== null).map(({ workspaceId }) => workspaceId)
  if (broken.length > 0) {
    const hint = "'vitrine audit verify' shows the entries"
    return { check, ok: false, detail: `broken for ${broken.join(', ')}`, hint }
  }
  const entries = reports.reduce((sum, report) => sum + report.entries, 0)
  const pruned = reports.some(({ prune }) => prune !== undefined) ? ', except for pruned ones' : ''
  return { check, ok: true, detail: `${formatCount(entries)} entries, none changed or removed${pruned}` }
}

function examineSources(store: ReadingStore, tables: readonly Table[]): Promise<HealthFinding[]> {
  return store.read(async (tx) => {
    const findings: HealthFinding[] = []
    let sources = 0
    for (const source of await listEverySource(tx)) {
      const state = sourceStateOf(source, tx.nowMs)
      if (state === 'abandoned') continue
      sources++
      if (state !== 'synced') findings.push(sourceProblem(source, state, tables))
    }
    if (findings.length > 0) return findings
    const detail = sources === 0 ? 'none yet' : `${counted(sources, 'source')}, all synced`
    return [{ check: 'sources', ok: true, detail }]
  })
}

type WorkspaceSource = Source & { workspace: string }

function sourceProblem(source: WorkspaceSource, state: 'failing' | 'overdue', tables: readonly Table[]): HealthFinding {
  const { workspace, tableName, name, location, failingSince, failures, failure, attemptedAt, syncedAt } = source
  const singular = tables.find((table) => table.name === tableName)?.singular ?? tableName
  const command = `vitrine ${singular} sync --workspace ${workspace} --source ${name}`
  const last = syncedAt === null ? 'never synced' : `last synced ${syncedAt}`
  const [detail, hint] =
    state === 'failing'
      ? [
          `failing since ${failingSince} (${counted(failures, 'attempt')}; ${last}): ${failure}`,
          `fix that, and run '${command} …' again`,
        ]
      : [
          `overdue: last attempted ${attemptedAt}, ${last}`,
          `start '${command} --every … ${location ?? '…'}' again, or run it once without --every`,
        ]
  return { check: `source ${name} of ${tableName} in ${workspace}`, ok: false, detail, hint }
}
