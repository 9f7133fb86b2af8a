import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { getSystemErrorMessage } from 'node:util'
import { isObject } from '../../lib/checker.ts'
import { type Fault, fault } from '../../lib/fault.ts'
import { parseOrExplain } from '../../lib/json-text.ts'
import { readSmallFile } from '../../lib/small-file.ts'
import { UserError } from '../../lib/user-error.ts'
import { clashesIn, givesWay } from '../check.ts'
import { builtInOf, type Resource } from '../define.ts'
import { definitionFaults, nameFaults, placementFaults } from './check.ts'
import { compileDefinition, identityOf, type OpenTableDatabase, placedResource } from './compile.ts'
import { type Definition, MAX_DECLARED, type Placement } from './definition.ts'

/** A hundred fields with the longest descriptions and values take less. */
const MAX_BYTES = 1_048_576
const MAX_FAULTS = 20

export interface DefinitionFile {
  /** The path as an operator would write it. */
  file: string
  /** Undefined if there are faults. */
  definition?: Definition
  /** Of a built-in list that is read in place, instead of a definition. */
  placement?: Placement
  faults: readonly Fault[]
}

/** Throws a UserError, on one line, that names the files, the members and the fixes. */
export function loadDeclared(
  folder: string,
  builtIn: readonly Resource[],
  openDatabase?: OpenTableDatabase,
): Resource[] {
  const files = checkDefinitions(readFolder(folder), builtIn)
  const faults = files.flatMap(({ file, faults }) => faults.map((fault) => describeFault(file, fault)))
  if (faults.length > MAX_FAULTS) faults.splice(MAX_FAULTS, faults.length, `and ${faults.length - MAX_FAULTS} more`)
  if (faults.length > 0) throw new UserError(`RESOURCES: ${faults.join('; ')}`)
  return files.flatMap(({ file, definition, placement }) => {
    const placed = builtIn.find(({ name }) => name === placement?.name)
    if (placement !== undefined && placed !== undefined) return [placedResource(placed, placement.rows, openDatabase)]
    if (definition === undefined) return []
    const replaces = builtIn.filter(givesWay).filter((each) => clashesIn([each, identityOf(definition)]).length > 0)
    const resource = compileDefinition(definition, file, openDatabase)
    return [replaces.length === 0 ? resource : { ...resource, replaces: replaces.map(({ name }) => name) }]
  })
}

/** The resources of an instance: built-in ones, unless an operator's have their names, and those in the folder. */
export function withDeclared(
  folder: string,
  builtIn: readonly Resource[],
  openDatabase?: OpenTableDatabase,
): Resource[] {
  const loaded = loadDeclared(folder, builtIn, openDatabase)
  const placed = builtInOf(loaded)
  const replaced = loaded.flatMap(({ replaces = [] }) => replaces)
  const kept = builtIn.filter(({ name }) => !replaced.includes(name))
  const here = kept.map((each) => placed.find(({ name }) => name === each.name) ?? each)
  return [...here, ...loaded.filter((each) => !placed.includes(each))]
}

export const describeFault = (file: string, { field, problem }: Fault): string =>
  `${file}: ${field === '' ? '' : `${field} `}${problem}`

/** In the order of their names' code units, which is the same on every machine. */
export function readFolder(folder: string): DefinitionFile[] {
  let names: string[]
  try {
    names = readdirSync(folder).filter((name) => name.endsWith('.json') && !name.startsWith('.'))
  } catch (error) {
    const { errno = 0 } = error as NodeJS.ErrnoException
    throw new UserError(`RESOURCES: the folder ${folder} cannot be read: ${getSystemErrorMessage(errno)}`)
  }
  if (names.length === 0)
    throw new UserError(`RESOURCES: the folder ${folder} has no *.json file; add one, or unset RESOURCES`)
  if (names.length > MAX_DECLARED)
    throw new UserError(
      `RESOURCES: the folder ${folder} has ${names.length} *.json files; at most ${MAX_DECLARED} lists can be declared`,
    )
  return names.sort().map((name) => readDefinition(join(folder, name)))
}

export function readDefinition(file: string): DefinitionFile {
  const failed = (problem: string) => ({ file, faults: [{ field: '', problem }] })
  let text: string
  try {
    text = readSmallFile(file, { maxBytes: MAX_BYTES, isRegular: true }).replace(/^\uFEFF/, '')
  } catch (error) {
    return failed((error as Error).message.replace(`${file} `, ''))
  }
  const parsed = parseOrExplain(text)
  if ('problem' in parsed) return failed(parsed.problem)
  // A built-in list has only these two members.
  if (isObject(parsed.value) && 'rows' in parsed.value && !('fields' in parsed.value))
    return { file, placement: parsed.value as Placement, faults: [] }
  const faults = definitionFaults(parsed.value)
  return faults.length > 0 ? { file, faults } : { file, definition: parsed.value as Definition, faults }
}

/** Adds conflicts between files, or with built-in resources. */
export function checkDefinitions(files: readonly DefinitionFile[], builtIn: readonly Resource[]): DefinitionFile[] {
  const usable = files.flatMap(({ definition }) => definition ?? [])
  const clashes = nameFaults(usable, builtIn)
  const placed = files.flatMap(({ placement }) => placement?.name ?? [])
  const isTwice = ({ name }: Placement) =>
    fault('name', placed.indexOf(name) < placed.lastIndexOf(name) && 'is in another file too; keep one of them')
  return files.map((each) =>
    each.placement !== undefined
      ? { ...each, faults: [...placementFaults(each.placement, builtIn), ...isTwice(each.placement)] }
      : each.definition === undefined
        ? each
        : { ...each, faults: clashes.get(usable.indexOf(each.definition)) ?? [] },
  )
}
