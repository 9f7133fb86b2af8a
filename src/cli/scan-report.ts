import type { Verdict } from '../keys/leaked.ts'
import { formatCount } from '../lib/format-count.ts'
import { type Findings, type FoundKey, type Place, placeText, sourceText } from '../tools/scan/findings.ts'
import { print, sanitize } from './output.ts'

/** Of the places of a key, in text; the JSON has more. */
const PLACES_SHOWN = 20
const UNREAD_SHOWN = 100

/** The keys with their places, for people. Without verdicts, the database was not asked. */
export function printReport(keys: readonly FoundKey[], verdicts: readonly Verdict[] | undefined): void {
  for (const [index, { prefix, places, morePlaces }] of keys.entries()) {
    print(`${prefix}…  ${verdictText(verdicts?.[index])}`)
    for (const place of places.slice(0, PLACES_SHOWN)) print(`  ${sanitize(placeText(place))}`)
    const more = morePlaces + Math.max(0, places.length - PLACES_SHOWN)
    if (more > 0) print(`  and ${counted(more, 'more place')}`)
  }
}

function verdictText(verdict: Verdict | undefined): string {
  if (verdict === undefined) return 'not asked'
  if (verdict.state === 'unknown') return 'unknown here'
  const { state, id, label, workspace, lastUsedAt, isRevokedNow } = verdict
  const used = lastUsedAt === null ? 'never used' : `last used ${lastUsedAt}`
  return `${isRevokedNow ? 'revoked now' : state}  ${id}  "${sanitize(label)}" of ${sanitize(workspace)}, ${used}`
}

/** For stderr: what could not be read, what was skipped, and how much was read. */
export function summaryOf({ keys, moreKeys, unread, moreUnread, skipped, ...read }: Findings): string[] {
  const hidden = moreUnread + Math.max(0, unread.length - UNREAD_SHOWN)
  const volume = [
    ...(read.files > 0 ? [counted(read.files, 'file')] : []),
    ...(read.objects > 0 ? [counted(read.objects, 'git object')] : []),
  ]
  const found = keys.length === 0 ? 'no keys' : counted(keys.length + moreKeys, 'key')
  return [
    ...unread.slice(0, UNREAD_SHOWN).map(({ source, reason }) => sanitize(`not read: ${sourceText(source)} ${reason}`)),
    ...(hidden > 0 ? [`not read: ${counted(hidden, 'more file')}`] : []),
    // Whoever writes many keys with right checksums must not hide one that works.
    ...(moreKeys > 0 ? [`not listed, asked or revoked: ${counted(moreKeys, 'more key')}; scan less at a time`] : []),
    ...[...skipped].map(([kind, count]) => `skipped: ${counted(count, kind)}`),
    `Found ${found} in ${volume.join(' and ') || '0 files'}${unread.length > 0 ? '; not everything could be read' : ''}.`,
  ]
}

const counted = (count: number, noun: string): string => `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`

/** The same for programs. */
export const reportOf = (
  { keys, moreKeys, unread, moreUnread, skipped, files, objects, bytes }: Findings,
  verdicts: readonly Verdict[] | undefined,
) => ({
  keys: keys.map(({ prefix, places, morePlaces }, index) => ({
    prefix,
    ...(verdicts?.[index] ?? { state: 'not_asked' }),
    places: places.map(reportedPlace),
    morePlaces,
  })),
  moreKeys,
  notRead: unread.map(({ source, reason }) => ({ source: sourceText(source), reason })),
  moreNotRead: moreUnread,
  skipped: Object.fromEntries(skipped),
  read: { files, objects, bytes },
})

/** `text` is what the report for people shows. */
const reportedPlace = (place: Place) => ({ text: placeText(place), ...place })
