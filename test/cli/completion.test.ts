// Run once: the program does this before it opens a database.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { completionRows } from '../../src/cli/completion.ts'
import { completionScripts } from '../../src/cli/completion-scripts.ts'
import { readyMapNames } from '../../src/import/map/load-map.ts'
import { commandTree } from '../support/command-tree.ts'
import { skipWithout } from '../support/installed-program.ts'
import { program } from '../support/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const rows = completionRows(await commandTree(), await readyMapNames())

test('every row of the table has its five cells, in one line', () => {
  assert.ok(rows.length > 200)
  for (const row of rows) assert.match(row, /^[a-z -]*\|[\w-]*\|(command|flag|value|list|file)\|[^|\n]*\|.*$/)
})

/** Gives the lines that a program of a shell prints, which finds the completion in $1 and its own words after that. */
async function inShell(t: TestContext, command: string[], script: string, shellProgram: string, words: string[]) {
  const folder = temporaryFolder(t)
  const [completion, main] = [join(folder, 'completion'), join(folder, 'main')]
  writeFileSync(completion, `${script}\n`)
  writeFileSync(main, shellProgram)
  writeFileSync(join(folder, 'export.csv'), '')
  const [shell = '', ...options] = command
  const { status, stdout, stderr } = spawnSync(shell, [...options, main, completion, ...words], {
    encoding: 'utf8',
    cwd: folder,
  })
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
  return stdout.trimEnd().split('\n')
}

const BASH = `
source "$1"
# Outside of a completion it fails; what it is told is to be seen here.
compopt() { told=" [$*]"; }
for line in "\${@:2}"; do
  COMP_LINE=$line COMP_POINT=\${#line} COMPREPLY=() told=
  _vitrine
  echo "\${COMPREPLY[*]}$told"
done`

test('bash completes commands, options, values and files', async (t) => {
  const expected: Record<string, string> = {
    'vitrine ke': 'key',
    'vitrine key c': 'create cancel-rotation',
    'vitrine key create --la': '--label',
    'vitrine key create --label key re': '',
    'vitrine member add --role ': 'owner admin member',
    'vitrine member add --role=o': 'owner',
    'vitrine key create --permissions ta': 'tasks:read [-o nospace]',
    // What bash replaces begins after the last colon.
    'vitrine key create --permissions tasks:read,w': 'read,workspace:read [-o nospace]',
    'vitrine task import --map jir': 'jira-csv',
    'vitrine task import --map ./m': ' [-o default]',
    'vitrine backup ': ' [-o default]',
    'vitrine completion ': 'bash zsh fish',
    'vitrine audit --workspace verify --ac': '--actor',
    'vitrine audit verify --exp': '--expect',
  }
  const lines = await inShell(t, ['bash'], completionScripts.bash(rows), BASH, Object.keys(expected))
  assert.deepEqual(lines, Object.values(expected))
})

/** A shell in a pseudo-terminal, in which the tab key is pressed; the command then says which words it got. */
const ZSH = `
zmodload zsh/zpty
zpty shell "PS1= zsh -f -i"
zpty -w shell "autoload -Uz compinit; compinit -u -D; source $1; vitrine() { print -r -- GOT \\"<\\$*>\\"; }"
for line in "\${@:2}"; do
  zpty -w -n shell "$line"$'\\t\\n'
  zpty -r -m shell got '*GOT <*>*'
  print -r -- "\${\${got##*GOT <}%%>*}"
done
zpty -d shell`

test('zsh completes commands, options, values and files', skipWithout('zsh'), async (t) => {
  const expected: Record<string, string> = {
    'vitrine ke': 'key',
    'vitrine key crea': 'key create',
    'vitrine key create --lab': 'key create --label',
    'vitrine member add --role ow': 'member add --role owner',
    'vitrine member add --role=ow': 'member add --role=owner',
    'vitrine key create --permissions tasks:read,wo': 'key create --permissions tasks:read,workspace:read',
    'vitrine task import --map jir': 'task import --map jira-csv',
    'vitrine task import --map exp': 'task import --map export.csv',
    'vitrine task import --workspace acme exp': 'task import --workspace acme export.csv',
    'vitrine completion fi': 'completion fish',
    'vitrine audit ver': 'audit verify',
    'vitrine audit verify --exp': 'audit verify --expect',
  }
  const lines = await inShell(t, ['zsh', '-f'], completionScripts.zsh(rows), ZSH, Object.keys(expected))
  assert.deepEqual(
    lines.map((line) => line.trim()),
    Object.values(expected),
  )
})

const FISH = `
source $argv[1]
for line in $argv[2..]
    echo (complete -C $line | string replace -r '\\t.*' '')
end`

test('fish completes commands, options, values and files', skipWithout('fish'), async (t) => {
  const expected: Record<string, string> = {
    'vitrine ke': 'key',
    'vitrine key c': 'cancel-rotation create',
    'vitrine key create --la': '--label',
    'vitrine member add --role ': 'admin member owner',
    'vitrine member add --role=o': '--role=owner',
    'vitrine key create --permissions tasks:read,w': 'tasks:read,workspace:read',
    'vitrine task import --map jir': 'jira-csv',
    'vitrine task import --workspace key exp': 'export.csv',
    'vitrine key list exp': '',
    'vitrine completion ': 'bash fish zsh',
    'vitrine audit --workspace verify --ac': '--actor',
    'vitrine audit verify --exp': '--expect',
  }
  const lines = await inShell(t, ['fish', '--no-config'], completionScripts.fish(rows), FISH, Object.keys(expected))
  assert.deepEqual(lines, Object.values(expected))
})

test('the command prints the script of its shell, with every command in it', async (t) => {
  const script = await program(t).ok('completion', 'bash')
  assert.equal(script, completionScripts.bash(rows))
  assert.match(script, /^task import\|--map\|/m)
})
