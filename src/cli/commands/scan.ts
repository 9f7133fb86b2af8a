import { existsSync } from 'node:fs'
import { isGiven } from '../../config.ts'
import { type LeakedKeyState, lookUpLeaked, revokeLeaked } from '../../keys/leaked.ts'
import { counted } from '../../lib/format-count.ts'
import { redactTokens } from '../../lib/redact.ts'
import { UserError } from '../../lib/user-error.ts'
import { excludedBy, IGNORE_FILE, patternsIn } from '../../tools/scan/excluded.ts'
import { type Findings, type FoundKey, locationText, placeText } from '../../tools/scan/findings.ts'
import { scanPaths, scanStaged } from '../../tools/scan/scan.ts'
import { Command } from '../command.ts'
import { actor, type Context, givenDatabase } from '../context.ts'
import { ExitCode, messageOf, UsageError } from '../errors.ts'
import { isJson, print, printJson, printMessage, sanitize } from '../terminal/output.ts'
import { showPhase, withProgress } from '../terminal/progress.ts'

interface Options {
  staged?: true
  exclude: string[]
  revoke?: true
}

export const command = (context: Context) =>
  new Command('scan', 'find keys in files, folders and git history, and show which of them are live')
    .argument('[path...]', 'files and folders; - for stdin')
    .option('--staged', 'read only the changes staged in the repository of the current folder')
    .option(
      '--exclude <glob>',
      `skip matching paths, like a line in ${IGNORE_FILE} in the current folder; may be repeated`,
      (glob: string, others: string[]) => [...others, glob],
      [],
    )
    .option('--revoke', 'revoke the found keys that still work')
    .notes(EXAMPLES)
    .withResult(async (paths: string[], { staged, exclude, revoke }: Options) => {
      if (staged && paths.length > 0) throw new UsageError('--staged: reads only staged changes, and takes no path')
      if (!staged && paths.length === 0)
        throw new UsageError("nothing to scan: name files or folders, such as '.' for the current folder")
      if (paths.filter((path) => path === '-').length > 1) throw new UsageError('-: stdin can be read only once')
      const isExcluded = excludedBy([...exclude, ...patternsIn(IGNORE_FILE)])
      const onPhase = (name: string) => showPhase(redactTokens(sanitize(name)))
      const findings = await withProgress('scanning', () =>
        staged ? scanStaged('.', { isExcluded }) : scanPaths(paths, { isExcluded, onPhase }),
      )
      const { keys, moreKeys, unread } = findings
      if (keys.length + moreKeys + unread.length > 0) process.exitCode = ExitCode.failure
      const { matches, failure } = await lookUp(context, keys, revoke === true)
      if (isJson()) printJson(reportOf(findings, matches))
      else {
        printReport(keys, matches)
        for (const line of summaryOf(findings)) printMessage(line)
      }
      if (failure === undefined) return
      // The locations are already printed, so the keys can still be revoked in another way.
      if (revoke) throw failure
      printMessage(`Could not check whether they are live: ${sanitize(messageOf(failure))}`)
    })

const EXAMPLES = `
Exit code: 0 if everything was read and no key was found, 1 if a key was found or something could not be read.

Examples:
  vitrine scan .
  vitrine scan --staged
  vitrine scan --exclude 'fixtures/' --exclude '*.min.js' .
  vitrine scan --revoke /srv/backups
  docker logs web 2>&1 | vitrine scan --json -`

/** A scan that finds no key needs no database. */
async function lookUp({ withStore, read }: Context, keys: readonly FoundKey[], revoke: boolean) {
  if (keys.length === 0) return { matches: [] }
  try {
    requireDatabase()
    if (!revoke) return { matches: await read((tx) => lookUpLeaked(tx, keys)) }
    const { matches, failure } = await withStore((store) => revokeLeaked(store, actor(), keys))
    return { matches, failure }
  } catch (failure) {
    return { failure }
  }
}

/** The usual error suggests creating a database, which would be wrong in a user's own repository. */
function requireDatabase(): void {
  const database = givenDatabase()
  if (isGiven(process.env, 'DATABASE_URL') || database.engine !== 'sqlite' || existsSync(database.path)) return
  throw new UserError(
    'DATABASE_URL is not set, and the current folder has no database; set it to the database of the instance that created the keys',
  )
}

/** These limits apply to text output; the JSON output shows more. */
const PLACES_SHOWN = 20
const UNREAD_SHOWN = 100

function printReport(keys: readonly FoundKey[], matches: readonly LeakedKeyState[] | undefined): void {
  for (const [index, { prefix, places, morePlaces }] of keys.entries()) {
    print(`${prefix}…  ${stateText(matches?.[index])}`)
    for (const place of places.slice(0, PLACES_SHOWN)) print(`  ${sanitize(placeText(place))}`)
    const more = morePlaces + Math.max(0, places.length - PLACES_SHOWN)
    if (more > 0) print(`  and ${counted(more, 'more place')}`)
  }
}

function stateText(key: LeakedKeyState | undefined): string {
  if (key === undefined) return 'not asked'
  if (key.state === 'unknown') return 'unknown here'
  const { state, id, label, workspace, lastUsedAt, isRevokedNow } = key
  const used = lastUsedAt === null ? 'never used' : `last used ${lastUsedAt}`
  return `${isRevokedNow ? 'revoked now' : state}  ${id}  "${sanitize(label)}" of ${sanitize(workspace)}, ${used}`
}

export function summaryOf({ keys, moreKeys, unread, moreUnread, skipped, ...read }: Findings): string[] {
  const hidden = moreUnread + Math.max(0, unread.length - UNREAD_SHOWN)
  const volume = [
    ...(read.files > 0 ? [counted(read.files, 'file')] : []),
    ...(read.objects > 0 ? [counted(read.objects, 'git object')] : []),
  ]
  const keyCount = keys.length + moreKeys === 0 ? 'no keys' : counted(keys.length + moreKeys, 'key')
  return [
    ...unread.slice(0, UNREAD_SHOWN).map(({ at, reason }) => sanitize(`not read: ${locationText(at)} ${reason}`)),
    ...(hidden > 0 ? [`not read: ${counted(hidden, 'more file')}`] : []),
    // Many fake keys with correct checksums must not hide one that works.
    ...(moreKeys > 0 ? [`not listed, checked or revoked: ${counted(moreKeys, 'more key')}; scan less at a time`] : []),
    ...[...skipped].map(([kind, count]) => `skipped: ${counted(count, kind)}`),
    `Found ${keyCount} in ${volume.join(' and ') || '0 files'}${unread.length > 0 ? '; not everything could be read' : ''}.`,
  ]
}

const reportOf = (
  { keys, moreKeys, unread, moreUnread, skipped, files, objects, bytes }: Findings,
  matches: readonly LeakedKeyState[] | undefined,
) => ({
  keys: keys.map(({ prefix, places, morePlaces }, index) => ({
    prefix,
    ...(matches?.[index] ?? { state: 'not_asked' }),
    places: places.map((place) => ({ text: placeText(place), ...place })),
    morePlaces,
  })),
  moreKeys,
  notRead: unread.map(({ at, reason }) => ({ source: locationText(at), reason })),
  moreNotRead: moreUnread,
  skipped: Object.fromEntries(skipped),
  read: { files, objects, bytes },
})
