import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UsageError } from '../../errors.ts'
import { toJson } from '../../terminal/output.ts'
import type { DraftedList } from './draft-list.ts'

export type Home = ReturnType<typeof createHome>

/** The folder of the definitions and the database. It is removed however the program ends, unless it is kept. */
export function createHome(wanted: string | undefined) {
  const path = wanted === undefined ? mkdtempSync(join(tmpdir(), 'vitrine-try-')) : emptyFolder(wanted)
  const remove = () => rmSync(path, { recursive: true, force: true })
  process.on('exit', remove)
  let isKept = false
  return {
    databaseUrl: `sqlite:${join(path, 'vitrine.db')}`,
    resources: join(path, 'resources'),
    envFile: join(path, 'vitrine.env'),
    path,
    keep() {
      isKept = true
      process.off('exit', remove)
    },
    [Symbol.dispose]() {
      process.off('exit', remove)
      if (!isKept) remove()
    },
  }
}

function emptyFolder(wanted: string): string {
  mkdirSync(wanted, { recursive: true, mode: 0o700 })
  if (readdirSync(wanted).length > 0)
    throw new UsageError(`--keep: ${wanted} is not empty; name another folder, or serve what it has`)
  return realpathSync(wanted)
}

/** And the maps, with which other files are read in the same way. */
export function writeDefinitions({ path, resources }: Home, lists: readonly DraftedList[]): void {
  mkdirSync(resources, { mode: 0o700 })
  for (const { definition, map } of lists) {
    writePrivate(join(resources, `${definition.name}.json`), `${toJson(definition, 2)}\n`)
    if (map !== undefined) writePrivate(join(path, `${definition.name}.map.json`), `${toJson(map, 2)}\n`)
  }
}

/** With the same port, so that clients find the service again. */
export function writeEnvFile({ databaseUrl, envFile }: Home, url: string, tables: Record<string, string>): void {
  const variables = { DATABASE_URL: databaseUrl, ...tables, PORT: new URL(url).port }
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${quoted(value)}\n`)
  writePrivate(envFile, lines.join(''))
}

/** An example has a row's values, and an address may have a password. */
const writePrivate = (file: string, text: string) => writeFileSync(file, text, { mode: 0o600 })

const quoted = (value: string): string => {
  const quote = ["'", '`', '"'].find((each) => !value.includes(each)) ?? ''
  return quote + value + quote
}
