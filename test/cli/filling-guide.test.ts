import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { builtInMapNames } from '../../src/import/map/load-map.ts'
import { createDatabase, postgresUrl } from '../support/database.ts'
import { documentedBlocks } from '../support/documented.ts'
import { withClient } from '../support/postgres-server.ts'
import { program } from '../support/program.ts'
import { serveExport, writeSamples } from './filling-guide.ts'
import { openGuideShell, shownAs } from './guide-shell.ts'

const PAGES = ['docs/filling.md', 'docs/maps.md']
/** Where the guide's program, settings and exports are. */
const FOLDERS = /\/(?:opt|etc|var\/lib)\/vitrine/g
const blocks = PAGES.flatMap((page) =>
  documentedBlocks(page).map(({ line, ...block }) => ({ ...block, place: `${page}:${line}` })),
)

/** A shell with the program, the exports and the database that the guide names, and a tracker. */
async function openShell(t: TestContext) {
  const vitrine = program(t)
  const { folder } = vitrine
  writeSamples(folder)
  const { url, token } = await serveExport(t)
  const shop = await createShop(t)
  const here = (text: string) =>
    text.replaceAll('https://tracker.example', url).replace(FOLDERS, folder).replaceAll('-d shop', `-d ${shop}`)
  return { here, ...(await openGuideShell(vitrine, { env: { TRACKER_TOKEN: token }, here })) }
}

/** The URL of a PostgreSQL database with a table of todos. */
async function createShop(t: TestContext): Promise<string> {
  if (postgresUrl() === undefined) return ''
  const url = await createDatabase(t, 'template0')
  await withClient(url, (client) =>
    client.query(`CREATE TABLE todo (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), subject text NOT NULL, note text,
      due timestamptz, assignee text, done boolean NOT NULL DEFAULT false, created timestamptz NOT NULL DEFAULT now());
      INSERT INTO todo (subject, note, due) VALUES ('Order lemons', 'Two boxes, "organic"', '2026-12-01 09:00+01'),
        ('Call the baker', 'In the' || chr(10) || 'morning', NULL), ('Count the stock', NULL, '2026-11-20')`),
  )
  return url
}

test('every command of the guides runs as shown, one after the other, and prints what is shown', async (t) => {
  const shell = await openShell(t)
  let commands = 0
  for (const [i, { language, text, place }] of blocks.entries()) {
    const next = blocks[i + 1]
    const shown = next?.language === 'text' ? next.text : ''
    const run = { sh: [text], crontab: cronCommands(text), ini: startedBy(text), text: [], json: [], csv: [] }[language]
    assert.ok(run, `${place}: a block of ${language} is neither run nor compared`)
    for (const command of run) {
      if (command.includes('psql -d shop') && postgresUrl() === undefined) continue
      // A failure that the guide shows on purpose.
      const printed = await shell.paste(command, /^(vitrine:|FAIL) /m.test(shown) ? 1 : 0)
      assert.match(printed, shownAs(shell.here(shown)), `${place} shows\n${shown}\nand prints\n${printed}`)
      commands++
    }
  }
  assert.ok(commands > 15)
})

/** The part after the five time fields, or after a name such as @hourly. */
const cronCommands = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => /^[\d*@]/.test(line))
    .map((line) => line.replace(/^(@\w+|(\S+ +){5})/, ''))

const unit = readFileSync(join(import.meta.dirname, '../../deploy/systemd/vitrine-sync@.service'), 'utf8')
const [, started = ''] = /^ExecStart=(.*)$/m.exec(unit) ?? []

/** The command that the shipped unit runs for a source with these variables; none for a drop-in of its timer. */
function startedBy(text: string): string[] {
  const source = /^# \/etc\/vitrine\/sync-(\w+)\.env\n/.exec(text)?.[1]
  if (source === undefined) return []
  const variables = [...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => `${name}='${value}'`)
  return [['set -a', ...variables, started.replace('%i', source)].join('\n')]
}

test('the guides show every built-in map', async () => {
  const commands = blocks.map(({ text }) => text).join('')
  for (const name of await builtInMapNames()) assert.match(commands, new RegExp(`(--map|task map) ${name} `))
})
