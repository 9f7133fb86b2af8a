import { displayToken, hashToken, SECRET_DIGITS, TOKEN_START, tokenPattern } from '../../lib/key-format.ts'
import { clip } from '../../lib/plain-text.ts'
import { REDACTED } from '../../lib/redact.ts'

/** A file, or a git object whose file and revision are not known yet. */
export type Location = FileLocation | GitObject

interface FileLocation {
  /** In a repository's history, the path within the repository. */
  file: string
  /** In the history: the repository's folder, and the first commit with the file, `staged`, or the object itself. */
  repository?: string
  revision?: string
}

type GitObject = { id: string; type: string }

interface Located {
  location: FileLocation
  isExcluded: boolean
}

type Place<At = Location> = At & { line: number; column: number }

/** The key itself is not stored. */
export interface FoundKey<At = FileLocation> {
  hash: string
  prefix: string
  places: Place<At>[]
  morePlaces: number
}

/** Per key: the first locations show where it is, and the user scans again after removing them. */
const MAX_PLACES = 100
/** Per key, until their files are known: those may be excluded. */
const MAX_OBJECTS = 2000
/** For all keys together, besides the first location of each: paths of up to 4,096 characters are held in memory. */
const MAX_MORE_PLACES = 20_000
/** Anyone can compute checksums and fill a disk with keys; a whole company has fewer keys. */
const MAX_KEYS = 10_000
const MAX_UNREAD = 1000

export class Findings {
  readonly #keys = new Map<string, FoundKey<Location>>()
  /** A key's hash with each of its listed locations. */
  readonly #listed = new Set<string>()
  readonly unread: { at: Location; reason: string }[] = []
  moreKeys = 0
  moreUnread = 0
  files = 0
  objects = 0
  bytes = 0
  /** Skipped by design, by kind: symbolic links, sockets. */
  readonly skipped = new Map<string, number>()

  add(token: string, place: Place): void {
    const hash = hashToken(token)
    const key = this.#keys.get(hash) ?? { hash, prefix: displayToken(token), places: [], morePlaces: 0 }
    if (key.places.length === 0 && this.#keys.size >= MAX_KEYS) {
      this.moreKeys++
      return
    }
    this.#keys.set(hash, key)
    this.#addPlace(key, place)
  }

  #addPlace(key: FoundKey<Location>, place: Place): void {
    const safePlace = withoutKeys(place)
    const entry = entryOf(key, safePlace)
    if (this.#listed.has(entry)) return
    const most = 'file' in place ? MAX_PLACES : MAX_OBJECTS
    const isFull = key.places.length >= most || this.#listed.size >= MAX_MORE_PLACES
    if (isFull && key.places.length > 0) key.morePlaces++
    else {
      key.places.push(safePlace)
      this.#listed.add(entry)
    }
  }

  blobIds(): Set<string> {
    const places = [...this.#keys.values()].flatMap((key) => key.places)
    const all = [...places, ...this.unread.map(({ at }) => at)]
    return new Set(all.flatMap((location) => ('id' in location && location.type === 'blob' ? location.id : [])))
  }

  /** Objects in excluded locations are skipped. */
  resolveObjects(locate: (object: GitObject) => Located): void {
    for (const [hash, key] of this.#keys) {
      const objects = key.places.filter((place) => 'id' in place)
      key.places = key.places.filter((place) => 'file' in place)
      for (const [i, object] of objects.entries()) {
        this.#listed.delete(entryOf(key, object))
        const { line, column } = object
        const { location, isExcluded } = locate(object)
        // The places beyond the limit may not be excluded, so one place of the key must be left.
        const isNeeded = key.places.length === 0 && key.morePlaces > 0 && i === objects.length - 1
        if (isExcluded && !isNeeded) this.skip('excluded git place')
        else this.#addPlace(key, { ...location, line, column })
      }
      if (key.places.length === 0) this.#keys.delete(hash)
    }
    for (const { at, reason } of this.unread.splice(0)) {
      const { location, isExcluded } = 'id' in at ? locate(at) : { location: at, isExcluded: false }
      if (isExcluded) this.skip('excluded git place')
      else this.addUnread(location, reason)
    }
  }

  addUnread(at: Location, reason: string): void {
    if (this.unread.length < MAX_UNREAD) this.unread.push({ at: withoutKeys(at), reason: clean(reason) })
    else this.moreUnread++
  }

  skip(kind: string): void {
    this.skipped.set(kind, (this.skipped.get(kind) ?? 0) + 1)
  }

  /** All objects have been resolved by then. */
  get keys(): FoundKey[] {
    const placesOf = (key: FoundKey<Location>) => key.places as Place<FileLocation>[]
    const keys = [...this.#keys.values()].map((key) => ({ ...key, places: placesOf(key).toSorted(comparePlaces) }))
    return keys.sort((a, b) => comparePlaces(a.places[0] as Place, b.places[0] as Place))
  }
}

const entryOf = ({ hash }: FoundKey<Location>, place: Place): string => `${hash} ${placeText(place)}`

function comparePlaces(a: Place, b: Place): number {
  const [one, other] = [locationText(a), locationText(b)]
  return one === other ? a.line - b.line || a.column - b.column : one < other ? -1 : 1
}

/** A file name may contain anything, even a key. */
const KEYS = tokenPattern(SECRET_DIGITS, 'g')

/** The longest path on a file system. A path in git may be a megabyte long. */
const MAX_NAME_CHARACTERS = 4096

const clean = (text: string): string => clip(text.replace(KEYS, `${TOKEN_START}${REDACTED}`), MAX_NAME_CHARACTERS)

const withoutKeys = <L extends Location>(location: L): L => ({
  ...location,
  ...('file' in location && { file: clean(location.file) }),
  ...('repository' in location && { repository: clean(location.repository) }),
})

/** `file` or `commit:file`; a repository other than the current folder comes before the commit. */
export function locationText(location: Location): string {
  if ('id' in location) return `${location.id.slice(0, 12)}:${location.type}`
  const { file, repository = '.', revision } = location
  if (revision === undefined) return file
  return `${repository === '.' ? '' : `${repository}@`}${revision.slice(0, 12)}:${file}`
}

export const placeText = (place: Place): string => `${locationText(place)}:${place.line}:${place.column}`
