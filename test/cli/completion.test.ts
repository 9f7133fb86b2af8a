// Run once: the program does this before it opens a database.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { completionScripts, completionTable } from '../../src/cli/commands/completion/completion.ts'
import { builtInMapNames } from '../../src/import/map/load-map.ts'
import { commandTree } from '../support/command-tree.ts'
import { skipWithout } from '../support/installed-program.ts'
import { program } from '../support/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const table = completionTable(await commandTree(), await builtInMapNames())

/** Returns the lines that a shell script prints. It gets the completion as $1, followed by its own arguments. */
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
for line in "\${@:2}"; do
  read -ra COMP_WORDS <<<"$line"
  [[ $line == *' ' ]] && COMP_WORDS+=('')
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)) COMPREPLY=()
  _vitrine
  echo "\${COMPREPLY[*]}"
done`

test('bash completes commands, options, values and files', async (t) => {
  const expected: Record<string, string> = {
    'vitrine ke': 'key',
    'vitrine key c': 'create cancel-rotation',
    'vitrine key create --la': '--label',
    'vitrine key create --label key re': '',
    'vitrine member add --role ': 'owner admin member',
    'vitrine key create --permissions ta': 'tasks:read',
    'vitrine task import --map trel': 'trello-json',
    'vitrine task import --map ./m': '',
    'vitrine backup ': '',
    'vitrine completion ': 'bash zsh fish',
    'vitrine audit --workspace verify --ac': '--actor',
    'vitrine audit verify --exp': '--expect',
  }
  const lines = await inShell(t, ['bash'], completionScripts.bash(table), BASH, Object.keys(expected))
  assert.deepEqual(lines, Object.values(expected))
})

/** A shell in a pseudo-terminal, in which the tab key is pressed; the command then prints the arguments it got. */
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
    'vitrine task import --map trel': 'task import --map trello-json',
    'vitrine task import --map exp': 'task import --map export.csv',
    'vitrine task import --workspace acme exp': 'task import --workspace acme export.csv',
    'vitrine completion fi': 'completion fish',
    'vitrine audit ver': 'audit verify',
    'vitrine audit verify --exp': 'audit verify --expect',
  }
  const lines = await inShell(t, ['zsh', '-f'], completionScripts.zsh(table), ZSH, Object.keys(expected))
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
    'vitrine task import --map trel': 'trello-json',
    'vitrine task import --workspace key exp': 'export.csv',
    'vitrine completion ': 'bash fish zsh',
    'vitrine audit --workspace verify --ac': '--actor',
    'vitrine audit verify --exp': '--expect',
  }
  const lines = await inShell(t, ['fish', '--no-config'], completionScripts.fish(table), FISH, Object.keys(expected))
  assert.deepEqual(lines, Object.values(expected))
})

test("the command prints its shell's script, with every command in it", async (t) => {
  const script = await program(t).ok('completion', 'bash')
  assert.equal(script, completionScripts.bash(table))
  assert.match(script, /^ *'vitrine task import --map'\) /m)
})
