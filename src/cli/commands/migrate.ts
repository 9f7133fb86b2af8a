import { readSetting } from '../../config.ts'
import { StorageError } from '../../database/errors.ts'
import { planMigration } from '../../database/open.ts'
import type { OperatorStore } from '../../database/store.ts'
import type { Migration } from '../../database/tables/declared-lists.ts'
import { explainDifferences, type SchemaDifference } from '../../database/tables/schema-difference.ts'
import { recordSunsets, sunsetChanges } from '../../resources/declared/retirement.ts'
import { Command } from '../command.ts'
import { type Context, givenDatabase, namingDefault } from '../context.ts'
import { rowsInWords } from '../rows-in-words.ts'
import { isJson, printMessage, printResult } from '../terminal/output.ts'

interface Changes {
  /** Undefined if there is nothing to migrate. */
  migration: Migration | undefined
  sunsets: ReturnType<typeof sunsetChanges>
  differences: readonly SchemaDifference[]
}

export const command = (context: Context) =>
  new Command('migrate', 'migrate the database to this version')
    .option('--dry-run', 'only show what would be done, or why it would be refused')
    .notes('\nWith another database:\n  DATABASE_URL=postgres://operator@db.example/vitrine vitrine migrate')
    .examples('migrate --dry-run', 'migrate')
    .withResult(async ({ dryRun = false }: { dryRun?: boolean }) => {
      report(await (dryRun ? plan(context) : migrate(context)), dryRun)
    })

async function plan({ requireResources }: Context): Promise<Changes> {
  const planned = await planMigration(givenDatabase(), requireResources()).catch(namingDefault)
  const { migration, differences, remembered } = planned
  const sunsets = sunsetChanges(remembered, readSetting(process.env, 'LIFECYCLE'), Date.now())
  return { migration, sunsets, differences }
}

async function migrate({ withStore }: Context): Promise<Changes> {
  const lifecycle = readSetting(process.env, 'LIFECYCLE')
  let migration: Migration | undefined
  const finish = async (store: OperatorStore) => {
    const differences = await store.schemaDifferences()
    const sunsets = differences.length === 0 ? await store.transaction((tx) => recordSunsets(tx, lifecycle)) : []
    return { differences, sunsets }
  }
  const onMigrated = (migrated: Migration) => {
    migration = migrated
  }
  // Opening a database for writing migrates it.
  const done = await withStore(finish, { create: true, isMigration: true, onMigrated })
  return { migration, ...done }
}

function report({ migration, sunsets, differences }: Changes, isPlan: boolean): void {
  const { from, definitions = [], reshaped = [] } = migration ?? {}
  const steps = [
    ...databaseSteps(migration, isPlan),
    ...definitions.map(({ name, state, isNew }) => {
      const what = state === 'draft' ? 'draft' : 'published definition'
      return `${isPlan ? 'Would record' : 'Recorded'} the ${isNew ? '' : 'changed '}${what} of ${name}.`
    }),
    ...reshaped.map(
      (list) => `${isPlan ? 'Would store' : 'Stored'} the rows of ${list} again, for its new definition.`,
    ),
    ...sunsets.map(({ resource, sunset }) =>
      sunset === null
        ? `${isPlan ? 'Would withdraw' : 'Withdrew'} the sunset of ${resource}.`
        : `${isPlan ? 'Would record' : 'Recorded'} the sunset of ${resource}: ${sunset}.`,
    ),
  ]
  for (const step of isJson() ? [] : steps) printMessage(step)
  if (differences.length > 0) throw new StorageError(explainDifferences(differences))
  const result = {
    ...{ dryRun: isPlan, upToDate: !isPlan || steps.length === 0, created: from === 0, upgradedFrom: from || null },
    ...{ definitions, reshaped, sunsets },
  }
  const isUnchanged = 'The database is up to date: there was nothing to do.'
  const isChanged = isPlan ? 'Dry run, nothing was changed.' : 'The database is up to date.'
  printResult(result, steps.length === 0 ? isUnchanged : isChanged)
}

function databaseSteps({ from, rows }: Partial<Migration> = {}, isPlan: boolean): string[] {
  if (from === undefined) return []
  if (from === 0) return [`${isPlan ? 'Would create' : 'Created'} the database.`]
  const what = `the database from schema ${from}${rows === undefined ? '' : `: ${rowsInWords(rows)}`}`
  return [`${isPlan ? 'Would upgrade' : 'Upgraded'} ${what}.`]
}
