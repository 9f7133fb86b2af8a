import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** The first line of a test file that also runs on the second engine: `// On both engines: <what could differ>`. */
const REASON = /^\/\/ On both engines: .+\n/

export const testFiles = (...patterns: string[]): string[] =>
  globSync(patterns, { cwd: root, exclude: (name) => basename(name) === 'node_modules' })

/** The test files of `npm run test:all`. */
export const filesForOnce = (): string[] => testFiles('test/!(long|groups)/**/*.test.ts', 'test/*.test.ts').sort()

/**
 * The test files that run again on the second engine. Outside src/database every statement is the same for both, so a subject needs one
 * file that runs its statements.
 */
export const filesForBoth = (): string[] =>
  filesForOnce().filter((file) => REASON.test(readFileSync(join(root, file), 'utf8')))

/**
 * Each group of test files runs in a process of its own, which an entry in test/groups starts: one process for each file would
 * spend more time on starting than on testing. The first pattern that matches a file decides. Groups take
 * about as long as each other, and the last by name are short ones, so that no group is left running alone at the end.
 */
const groups: Record<string, RegExp> = {
  browser: /^test\/browser\//,
  clients: /^test\/(client|clients|openapi)\//,
  guides: /^test\/cli\/(documented-commands|.*-guide|tutorial)/,
  'commands-a-l': /^test\/cli\/[a-l]/,
  'commands-m-s': /^test\/cli\/[m-s]/,
  'commands-t-z': /^test\/cli\/[t-z]/,
  'connections-and-keys': /^test\/(connections|keys|notices)\//,
  contract: /^test\/contract\//,
  'database-postgres': /^test\/database\/postgres\//,
  'database-sqlite': /^test\/database\/sqlite\//,
  database: /^test\/database\//,
  faults: /^test\/(faults|proxies|deploy|bench)\//,
  fuzz: /^test\/(fuzz|histories)\//,
  'import-and-tools': /^test\/(import|tools)\//,
  'lists-and-http': /^test\/(lists|http|mcp|audit)\//,
  properties: /^test\/properties\//,
  'questions-and-metrics': /^test\/(questions|metrics)\//,
  resources: /^test\/resources\//,
  'web-keys': /^test\/web\/(keys|connect|pages)\//,
  pages: /^test\/(web|members)\//,
  others: /^/,
}

/** On the second engine: fewer files, so fewer processes, which would load the same modules. */
const groupsAgain: Record<string, RegExp> = {
  commands: /^test\/cli\//,
  database: /^test\/(database|faults|properties)\//,
  keys: /^test\/(audit|connections|keys|notices)\//,
  settings: /^test\/(web|members)\//,
  rest: /^/,
}

export const groupOf = (file: string, isAgain = false): string =>
  Object.entries(isAgain ? groupsAgain : groups).find(([, pattern]) => pattern.test(file))?.[0] ?? ''
