import { hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Table } from '../../database/table.ts'
import { checker } from '../../lib/checker.ts'
import { parseOrExplain } from '../../lib/json-text.ts'
import { UserError } from '../../lib/user-error.ts'
import { mapFaults } from './check-map.ts'
import { type MapFile, mapSchema } from './schema.ts'

export interface RecordMap {
  /** The name of a built-in map, or the file as given. */
  name: string
  file: MapFile
  digest: string
}

/** Enough for a value table with thousands of names. */
const MAX_BYTES = 262_144
const MAX_FAULTS = 20
/** Other texts are file paths. */
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const folder = join(import.meta.dirname, '../maps')

export async function loadMap(nameOrFile: string, table: Table): Promise<RecordMap> {
  const isName = NAME.test(nameOrFile)
  const names = isName ? await builtInMapNames() : []
  if (isName && !names.includes(nameOrFile))
    throw new UserError(
      `there is no built-in map ${nameOrFile}; the built-in maps are ${names.join(', ')}; for a file, use its path, such as ./${nameOrFile}`,
    )
  return parseMap(nameOrFile, await loadText(isName ? pathOf(nameOrFile) : nameOrFile, nameOrFile), table)
}

export const builtInMapNames = async (): Promise<string[]> =>
  (await readdir(folder))
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))
    .sort()

const pathOf = (name: string) => join(folder, `${name}.json`)

/** Includes maps for other tables. */
export const loadBuiltInMaps = async (): Promise<{ name: string; file: MapFile }[]> =>
  Promise.all(
    (await builtInMapNames()).map(async (name) => ({ name, file: JSON.parse(await loadText(pathOf(name), name)) })),
  )

export function parseMap(name: string, text: string, table: Table): RecordMap {
  const fail = (problem: string): never => {
    throw new UserError(`the map ${name} ${problem}`)
  }
  const parsed = parseOrExplain(text)
  const value = 'problem' in parsed ? fail(parsed.problem) : parsed.value
  const formFaults = checkForm(value)
  const faults = formFaults.length > 0 ? formFaults : mapFaults(value as MapFile, table)
  if (faults.length > 0) {
    const words = faults.slice(0, MAX_FAULTS).map(({ field, problem }) => `${field === '' ? 'it' : field} ${problem}`)
    const more = faults.length > MAX_FAULTS ? `; and ${faults.length - MAX_FAULTS} more` : ''
    fail(`cannot be used: ${words.join('; ')}${more}`)
  }
  return { name, file: value as MapFile, digest: hash('sha256', text) }
}

const checkForm = checker(mapSchema)

async function loadText(path: string, name: string): Promise<string> {
  try {
    // `end` is inclusive, so this reads one byte more than allowed.
    const bytes = Buffer.concat(await Array.fromAsync(createReadStream(path, { end: MAX_BYTES })))
    if (bytes.length > MAX_BYTES) throw new UserError(`the map ${name} is longer than ${MAX_BYTES / 1024} KiB`)
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    if (error instanceof UserError) throw error
    const { code } = error as NodeJS.ErrnoException
    throw new UserError(`the map ${name} ${failures[code ?? ''] ?? `cannot be read (${code})`}`, { cause: error })
  }
}

const failures: Record<string, string> = {
  ENOENT: 'does not exist; name a built-in map without a folder or an extension, such as jira-csv',
  ENOTDIR: 'does not exist',
  EISDIR: 'is a folder, not a file',
  EACCES: 'is not readable by this user',
  EPERM: 'is not readable by this user',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'is not UTF-8 text',
}
