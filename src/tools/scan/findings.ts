import { displayToken, hashToken } from '../../keys/token.ts'
import { clip } from '../../lib/plain-text.ts'

/** Where something was read. */
export interface Source {
  /** The file; in the history of a repository, its path there. */
  file: string
  /** In the history: the folder of the repository, and the first commit that has the file, `staged`, or the object itself. */
  repository?: string
  revision?: string
  /** In an archive: the names from the outermost to the innermost. */
  entries?: readonly string[]
}

export interface Place extends Source {
  line: number
  column: number
}

/** A key that was found. The key itself is not kept. */
export interface FoundKey {
  hash: string
  prefix: string
  /** Sorted. */
  places: Place[]
  /** How many more places there are than are listed. */
  morePlaces: number
}

export interface Unread {
  source: Source
  /** As in "is encrypted". */
  reason: string
}

/** Of one key; the first show where it is, and whoever removes them scans again. */
const MAX_PLACES = 100
/** Anybody can compute checksums and fill a disk with keys; a file of the keys of a whole company has fewer. */
const MAX_KEYS = 10_000
const MAX_UNREAD = 1000

/** What a scan has found, and what it could not read. */
export class Findings {
  readonly #keys = new Map<string, Omit<FoundKey, 'places'> & { places: Map<string, Place> }>()
  readonly unread: Unread[] = []
  moreKeys = 0
  moreUnread = 0
  /** What was read, for the summary. */
  files = 0
  objects = 0
  bytes = 0
  /** What a scan leaves out by design, by kind: symbolic links, sockets. */
  readonly skipped = new Map<string, number>()

  found(token: string, place: Place): void {
    this.#add({ hash: hashToken(token), prefix: displayToken(token) }, place)
  }

  #add({ hash, prefix }: Pick<FoundKey, 'hash' | 'prefix'>, place: Place): void {
    let key = this.#keys.get(hash)
    if (key === undefined) {
      if (this.#keys.size >= MAX_KEYS) {
        this.moreKeys++
        return
      }
      key = { hash, prefix, places: new Map(), morePlaces: 0 }
      this.#keys.set(hash, key)
    }
    const shown = withoutKeys(place)
    const text = placeText(shown)
    if (key.places.has(text)) return
    if (key.places.size >= MAX_PLACES) key.morePlaces++
    else key.places.set(text, shown)
  }

  /** Takes over what was found elsewhere, under other names. */
  takeOver(other: Findings, rename: (source: Source) => Source): void {
    for (const { places, morePlaces, ...key } of other.#keys.values()) {
      for (const place of places.values()) this.#add(key, { ...place, ...rename(place) })
      const own = this.#keys.get(key.hash)
      if (own !== undefined) own.morePlaces += morePlaces
    }
    for (const { source, reason } of other.unread) this.notRead({ ...source, ...rename(source) }, reason)
    this.moreKeys += other.moreKeys
    this.moreUnread += other.moreUnread
    this.objects += other.objects
    this.bytes += other.bytes
  }

  /** Where keys were found, and what could not be read. */
  sources(): Source[] {
    return [
      ...[...this.#keys.values()].flatMap(({ places }) => [...places.values()]),
      ...this.unread.map(({ source }) => source),
    ]
  }

  notRead(source: Source, reason: string): void {
    if (this.unread.length < MAX_UNREAD) this.unread.push({ source: withoutKeys(source), reason: clean(reason) })
    else this.moreUnread++
  }

  skip(kind: string): void {
    this.skipped.set(kind, (this.skipped.get(kind) ?? 0) + 1)
  }

  /** In the order of their first places. */
  get keys(): FoundKey[] {
    const keys = [...this.#keys.values()].map((key) => ({ ...key, places: sortedPlaces([...key.places.values()]) }))
    return keys.sort((a, b) => comparePlaces(a.places[0] as Place, b.places[0] as Place))
  }
}

/**
 * The bytes of an archive are searched as they are too, so that nothing hides between its entries. What is stored without
 * compression is then found twice, and shown where it is unpacked.
 */
function sortedPlaces(places: readonly Place[]): Place[] {
  const unpacked = new Set(places.flatMap(containersOf))
  return places.filter((place) => !unpacked.has(sourceText(place))).sort(comparePlaces)
}

const containersOf = ({ entries = [], ...source }: Place): string[] =>
  entries.map((_, depth) => sourceText({ ...source, entries: entries.slice(0, depth) }))

function comparePlaces(a: Place, b: Place): number {
  const [one, other] = [sourceText(a), sourceText(b)]
  return one === other ? a.line - b.line || a.column - b.column : one < other ? -1 : 1
}

/** More of a key than its first characters; a file name may hold anything. */
const KEYS = /vtr_[0-9A-Za-z]{7,}/g

/** Of any path of a file system. One in an archive may have a megabyte, and there may be many of them. */
const MAX_NAME_CHARACTERS = 4096

const clean = (text: string): string => clip(text.replace(KEYS, 'vtr_[redacted]'), MAX_NAME_CHARACTERS)

const withoutKeys = <S extends Source>(source: S): S => ({
  ...source,
  file: clean(source.file),
  ...(source.repository !== undefined && { repository: clean(source.repository) }),
  ...(source.entries && { entries: source.entries.map(clean) }),
})

/** `file`, `archive!entry`, `commit:file`; where it is not the current folder, the repository comes before the commit. */
export function sourceText({ file, repository = '.', revision, entries = [] }: Source): string {
  const start = revision === undefined ? '' : `${repository === '.' ? '' : `${repository}@`}${revision.slice(0, 12)}:`
  return [`${start}${file}`, ...entries].join('!')
}

export const placeText = (place: Place): string => `${sourceText(place)}:${place.line}:${place.column}`
