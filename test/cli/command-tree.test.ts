import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandPath, commandTree, helpOf, leavesOf } from './command-tree.ts'

/** They print no result (a server, a bridge), or always JSON. */
const WITHOUT_RESULT = ['serve', 'demo', 'stdio', 'resource new', 'openapi', 'task map']

test('every command that prints a result prints it as JSON too', async () => {
  const without = leavesOf(await commandTree()).filter(({ options }) => !options.some(({ long }) => long === '--json'))
  assert.deepEqual(
    without.map(commandPath).filter((path) => !WITHOUT_RESULT.includes(path)),
    [],
  )
})

test('the help of every command ends with examples that the program can parse', async () => {
  const leaves = leavesOf(await commandTree())
  assert.ok(leaves.length > 30)
  for (const command of leaves) {
    const path = commandPath(command)
    const [, section = ''] = helpOf(command).split('\nExamples:\n')
    const [block = ''] = section.split('\n\n')
    const lines = block
      .replaceAll('\\\n', ' ')
      .split('\n')
      .filter((line) => !/^\s*(?:#|$)/.test(line))
    assert.ok(lines.length > 0, `${path}: its help has no "Examples:"`)
    for (const line of lines) {
      const words = wordsAfterVitrine(line)
      assert.equal(words?.join(' ').startsWith(path), true, `${path}: "${line}" is not an example of it`)
      await (await commandTree()).parseAsync(words, { from: 'user' }).catch((error: Error) => {
        assert.fail(`${path}: "${line}": ${error.message}`)
      })
    }
  }
})

test('the help shows no argument that the command would refuse', async () => {
  const help = (await commandTree()).helpInformation()
  assert.match(help, /^ {2}check \[options\] <url> {2}/m)
  assert.match(help, /^ {2}stdio \[options\] {2}/m)
})

/** The arguments that a shell passes to vitrine, up to the end of that command. */
function wordsAfterVitrine(line: string): string[] | undefined {
  const [, rest] = /(?:^|[\s(])(?:bin\/)?vitrine\s+(.*)$/.exec(line) ?? []
  const words: string[] = []
  for (const [word, , double, single] of rest?.matchAll(
    /("([^"]*)"|'([^']*)'|\$\([^)]*\)|[^\s"'|<>;&)#])+|[|<>;&)#]/g,
  ) ?? []) {
    if (/^[|<>;&)#]$/.test(word)) break
    words.push(double ?? single ?? word)
  }
  return rest === undefined ? undefined : words
}
