import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { checker } from '../../lib/checker.ts'
import { parseOrExplain } from '../../lib/json-text.ts'
import { readSmallFile } from '../../lib/small-file.ts'
import { UserError } from '../../lib/user-error.ts'
import type { List } from '../../lists/definition.ts'
import { mapFaults } from './check-map.ts'
import { type MapFile, mapSchema } from './schema.ts'

export interface RecordMap {
  /** The name of a built-in map, or the file as given. */
  name: string
  file: MapFile
}

/** Enough for a value table with thousands of names. */
const MAX_BYTES = 262_144
const MAX_FAULTS = 20
/** Other texts are file paths. */
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const folder = join(import.meta.dirname, '../maps')

export async function loadMap(nameOrFile: string, list: List): Promise<RecordMap> {
  const text = NAME.test(nameOrFile) ? await builtInMap(nameOrFile) : loadText(nameOrFile, nameOrFile)
  return parseMap(nameOrFile, text, list)
}

export async function builtInMap(name: string): Promise<string> {
  const names = await builtInMapNames()
  if (!names.includes(name))
    throw new UserError(
      `there is no built-in map ${name}; the built-in maps are ${names.join(', ')}; for a file, use its path, such as ./${name}`,
    )
  return loadText(pathOf(name), name)
}

export const builtInMapNames = async (): Promise<string[]> =>
  (await readdir(folder))
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))
    .sort()

const pathOf = (name: string) => join(folder, `${name}.json`)

export function parseMap(name: string, text: string, list: List): RecordMap {
  const fail = (problem: string): never => {
    throw new UserError(`the map ${name} ${problem}`)
  }
  const parsed = parseOrExplain(text)
  const value = 'problem' in parsed ? fail(parsed.problem) : parsed.value
  const shapeFaults = checkShape(value)
  const faults = shapeFaults.length > 0 ? shapeFaults : mapFaults(value as MapFile, list)
  if (faults.length > 0) {
    const words = faults.slice(0, MAX_FAULTS).map(({ field, problem }) => `${field === '' ? 'it' : field} ${problem}`)
    const more = faults.length > MAX_FAULTS ? `; and ${faults.length - MAX_FAULTS} more` : ''
    fail(`cannot be used: ${words.join('; ')}${more}`)
  }
  return { name, file: value as MapFile }
}

const checkShape = checker(mapSchema)

function loadText(path: string, name: string): string {
  try {
    return readSmallFile(path, { maxBytes: MAX_BYTES })
  } catch (error) {
    const { message, cause } = error as Error
    const isMissing = (cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT'
    const problem = isMissing ? NO_FILE : message.replace(`${path} `, '')
    throw new UserError(`the map ${name} ${problem}`, { cause: error })
  }
}

const NO_FILE = 'does not exist; name a built-in map without a folder or an extension, such as jira-csv'
