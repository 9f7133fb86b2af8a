import { verifyEveryChain } from '../../../audit/verify.ts'
import { readSetting } from '../../../config.ts'
import { finding, type HealthFinding, warning } from '../../../database/finding.ts'
import type { ReadingStore, Transaction } from '../../../database/store.ts'
import { definitionDifferences, listsInUse, rememberedResources } from '../../../database/tables/declared-lists.ts'
import { type SourceState, sourceStateOf } from '../../../import/source-state.ts'
import { listEverySource, type Source } from '../../../import/sources.ts'
import { countKeys } from '../../../keys/evaluate.ts'
import type { Fault } from '../../../lib/fault.ts'
import { counted, formatCount, named } from '../../../lib/format-count.ts'
import { type List, listsOf } from '../../../lists/definition.ts'
import { sunsetChanges } from '../../../resources/declared/retirement.ts'
import type { Resource } from '../../../resources/define.ts'
import { listWorkspaces } from '../../../workspaces/records.ts'
import { Command } from '../../command.ts'
import type { Context } from '../../context.ts'
import { ExitCode, messageOf } from '../../errors.ts'
import { asCalled, isJson, print, printJson, sanitize, verdicts } from '../../terminal/output.ts'
import { examineRows } from './rows.ts'
import { examineSettings } from './settings.ts'

export const command = (context: Context) =>
  new Command('doctor')
    .description('check the settings and the database; exit code 1 if anything is wrong')
    .notes('\nIt changes nothing, works while the server runs, and reads every row of the database.')
    .examples('doctor', 'doctor --json')
    .withResult(async () => {
      const findings = [
        ...(await examineSettings(process.env, context)),
        ...(await database(context)),
        ...(await examineTables(context.resources)),
      ]
      if (findings.some(({ ok }) => !ok)) process.exitCode = ExitCode.failure
      if (isJson()) return printJson({ ok: findings.every(({ ok }) => ok), checks: findings.map(asJson) })
      for (const finding of findings) print(asLine(finding))
    })

const stateOf = ({ ok, isWarning }: HealthFinding): keyof typeof verdicts =>
  ok ? (isWarning ? 'warning' : 'ok') : 'failed'

function asLine(finding: HealthFinding): string {
  const { check, detail, hint } = finding
  return `${verdicts[stateOf(finding)]}  ${check}: ${sanitize(asCalled(hint === undefined ? detail : `${detail}; ${hint}`))}`
}

const asJson = (finding: HealthFinding) => ({
  name: finding.check,
  state: stateOf(finding),
  message: finding.detail,
  hint: finding.hint ?? null,
})

async function database({ resources, withReadingStore }: Context): Promise<HealthFinding[]> {
  return orFailure('database', () =>
    withReadingStore(async (store) => [
      ...(await orFailure('database', () => store.examine())),
      ...(await orFailure('declared resources', () => store.read((tx) => examineDefinitions(tx, resources)))),
      ...(await orFailure('contents', () => contents(store))),
      ...(await orFailure('sources', () => examineSources(store, listsOf(resources)))),
      ...(await orFailure('rows', async () => {
        const remembered = await store.read(rememberedResources)
        return examineRows(store.dump(), listsInUse(resources, remembered))
      })),
      ...(await orFailure('audit chain', () => auditChain(store))),
    ]),
  )
}

/** Those of applications, for lists that are read in place. */
async function examineTables(resources: readonly Resource[]): Promise<HealthFinding[]> {
  const findings = resources.map(({ name, inPlace }) => {
    if (inPlace === undefined) return []
    const check = `table of ${name}`
    return orFailure(check, async () => {
      const { faults, warnings } = await inPlace.examine()
      const said = (found: readonly Fault[]) => found.map(({ field, problem }) => `${field}: ${problem}`).join('; ')
      if (faults.length > 0) return finding(check, false, said(faults))
      return warnings.length > 0 ? warning(check, said(warnings)) : finding(check, true, 'can be read in place')
    })
  })
  return (await Promise.all(findings)).flat()
}

/** Finds definitions that differ from the database's, and announced sunsets that it has not recorded. */
async function examineDefinitions(tx: Transaction, resources: readonly Resource[]): Promise<HealthFinding[]> {
  const remembered = await rememberedResources(tx)
  const differing = definitionDifferences(resources, remembered)
  const unrecorded = sunsetChanges(remembered, readSetting(process.env, 'LIFECYCLE'), tx.nowMs).filter(
    ({ sunset }) => sunset !== null,
  )
  const announced = 'LIFECYCLE announces a sunset that is not recorded'
  const replacing = resources.flatMap(({ name, replaces = [] }) => replaces.map((replaced) => ({ name, replaced })))
  return [
    ...replacing.map(({ name, replaced }) =>
      finding(`resource ${name}`, true, `keeps its name, so this version's own list ${replaced} is off here`),
    ),
    ...differing.map(({ resource, reason }) => warning(`resource ${resource}`, reason)),
    ...unrecorded.map(({ resource }) => warning(`resource ${resource}`, announced, "run 'vitrine migrate'")),
  ]
}

/** A check that throws must not hide the findings of the others. */
async function orFailure(check: string, examine: () => Promise<HealthFinding | HealthFinding[]>) {
  try {
    return [await examine()].flat()
  } catch (error) {
    return [finding(check, false, messageOf(error))]
  }
}

async function contents(store: ReadingStore): Promise<HealthFinding> {
  const workspaces = await store.read(listWorkspaces)
  const { states, attention } = await countKeys(store)
  const { leaked, expiring } = attention
  return {
    check: 'contents',
    ok: true,
    isWarning: leaked.count + expiring.count > 0,
    detail: [
      `${counted(workspaces.length, 'workspace')}, ${counted(states.live + states.expiring + states.rotating, 'live key')}`,
      ...(leaked.count === 0 ? [] : [`leaked in a URL or a browser: ${named(leaked.ids, leaked.count)}`]),
      ...(expiring.count === 0 ? [] : [`expiring within 14 days: ${named(expiring.ids, expiring.count)}`]),
    ].join('; '),
  }
}

async function auditChain(store: ReadingStore): Promise<HealthFinding> {
  const check = 'audit chain'
  const reports = await store.read(async (tx) => {
    const ids = (await listWorkspaces(tx)).map(({ id }) => id)
    return verifyEveryChain(tx, ids)
  })
  const broken = reports.filter(({ fault }) => fault !== null).map(({ workspaceId }) => workspaceId)
  if (broken.length > 0)
    return finding(check, false, `broken for ${broken.join(', ')}`, "'vitrine audit verify' shows the entries")
  const entries = reports.reduce((sum, report) => sum + report.entries, 0)
  const pruned = reports.some(({ prune }) => prune !== undefined) ? ', except for pruned ones' : ''
  return finding(check, true, `${formatCount(entries)} entries, none changed or removed${pruned}`)
}

function examineSources(store: ReadingStore, lists: readonly List[]): Promise<HealthFinding[]> {
  return store.read(async (tx) => {
    const all = (await listEverySource(tx)).map((source) => ({ source, state: sourceStateOf(source, tx.nowMs) }))
    const sources = all.filter(({ state }) => state !== 'abandoned')
    const faults = sources.flatMap(({ source, state }) => sourceProblem(source, state, lists) ?? [])
    const detail = sources.length === 0 ? 'none yet' : `${counted(sources.length, 'source')}, all synced`
    return faults.length > 0 ? faults : [finding('sources', true, detail)]
  })
}

/** Undefined for a healthy source. */
function sourceProblem(source: Source & { workspace: string }, state: SourceState, lists: readonly List[]) {
  const check = `source ${source.name} of ${source.list} in ${source.workspace}`
  const { workspace, list, name, location, failingSince, failures, failure, attemptedAt, syncedAt } = source
  const singular = lists.find((each) => each.name === list)?.singular ?? list
  const command = `vitrine ${singular} sync --workspace ${workspace} --source ${name}`
  const last = syncedAt === null ? 'never synced' : `last synced ${syncedAt}`
  if (state === 'failing') {
    const detail = `failing since ${failingSince} (${counted(failures, 'attempt')}; ${last}): ${failure}`
    return finding(check, false, detail, `fix that, and run '${command} …' again`)
  }
  if (state !== 'overdue') return undefined
  const hint = `start '${command} …' again${location === null ? '' : `, which reads ${location}`}`
  return finding(check, false, `overdue: last attempted ${attemptedAt}, ${last}`, hint)
}
