// Run once: the program does this before it opens a database.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { readEnvFile, takeEnvFile } from '../../src/cli/env-file.ts'
import { UsageError } from '../../src/cli/errors.ts'
import { program } from '../support/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

function envFile(t: TestContext, text: string | Buffer): string {
  const file = join(temporaryFolder(t), 'vitrine.env')
  writeFileSync(file, text)
  return file
}

test('it may stand before or after the command, and is gone from the words', (t) => {
  const file = envFile(t, 'PORT=1\nHOST=::1\n')
  for (const words of [
    ['--env-file', file, 'key', 'list', '--json'],
    ['key', `--env-file=${file}`, 'list', '--json'],
    ['key', 'list', '--json', '--env-file', file],
  ]) {
    const environment: NodeJS.ProcessEnv = { HOST: '' }
    assert.deepEqual(takeEnvFile(words, environment), ['key', 'list', '--json'])
    // What the environment has wins, also if it is empty, as with Node.js.
    assert.deepEqual(environment, { HOST: '', PORT: '1' })
  }
  assert.deepEqual(takeEnvFile(['scan', '--', '--env-file', 'x'], {}), ['scan', '--', '--env-file', 'x'])
})

test('it is given once, with a file', (t) => {
  const file = envFile(t, '')
  for (const [words, fault] of [
    [['--env-file', file, 'serve', '--env-file', file], '--env-file: was given twice; give it once'],
    [['serve', '--env-file'], '--env-file: must name a file'],
    [['serve', '--env-file='], '--env-file: must name a file'],
  ] as const)
    assert.throws(() => takeEnvFile(words, {}), new UsageError(fault))
})

test('lines are read as Node.js reads them', (t) => {
  const text = `\uFEFF# Vitrine
  export A=1\r
B = "two words" # a comment
C='a # b'

D="one
two"
E=\`"'\`
F=
G=x # y
`
  assert.deepEqual(readEnvFile(envFile(t, text)), {
    ...{ A: '1', B: 'two words', C: 'a # b', D: 'one\ntwo', E: '"\'', F: '', G: 'x' },
  })
})

test('a line that would be skipped or cut short is refused by its number, and not repeated', (t) => {
  const cases: [text: string, fault: string][] = [
    ['PORT=1\nhush', 'line 2: must be NAME=value, a comment that begins with #, or blank'],
    ['PORT: hush', 'line 1: must be NAME=value, a comment that begins with #, or blank'],
    ['=hush', 'line 1: must be NAME=value, a comment that begins with #, or blank'],
    ['1A=hush', 'line 1: must be NAME=value, a comment that begins with #, or blank'],
    ['A="x\ny"\n\nhush', 'line 4: must be NAME=value, a comment that begins with #, or blank'],
    ['A=1\n# c\nA=hush', 'line 3: A is on line 1 already'],
    ['A="hush\nB=2\n', 'line 1: the quotes around the value of A are not closed'],
    ['A="x\nx"hush', 'line 2: something follows the quotes around the value of A'],
    ['A=hu#sh', 'line 1: the value of A has a #, which begins a comment; put it into quotes'],
    ['A=hush\0', 'line 1: must not have control characters'],
    ['A=1\rB=hush', 'line 1: must not have control characters'],
  ]
  for (const [text, fault] of cases) {
    const file = envFile(t, text)
    assert.throws(() => readEnvFile(file), new UsageError(`--env-file: ${file}, ${fault}`))
  }
})

test('a file that cannot be read, is huge or is no text is refused', (t) => {
  const huge = envFile(t, '#'.repeat(65_537))
  const binary = envFile(t, Buffer.from([0x41, 0x3d, 0xff]))
  for (const [file, fault] of [
    ['/nowhere/env', '/nowhere/env cannot be read (ENOENT)'],
    ['/', '/ must be a file'],
    ['/dev/zero', '/dev/zero is longer than 64 KiB'],
    [huge, `${huge} is longer than 64 KiB`],
    [binary, `${binary} must be text in UTF-8`],
  ] as const)
    assert.throws(() => readEnvFile(file), new UsageError(`--env-file: ${fault}`))
})

test('a command and the threads of a server see what is in the file, and what is no setting is named', async (t) => {
  const vitrine = program(t)
  const file = join(vitrine.folder, 'vitrine.env')
  const database = join(vitrine.folder, 'elsewhere.db')
  writeFileSync(file, `DATABASE_URL_FILE=url\nWORKERS=2\nRATE_LIMT=1;w=1\nCOLOUR=red\nPGAPPNAME=x\nVITRINE_KEY=x\n`)
  writeFileSync(join(vitrine.folder, 'url'), `sqlite:${database}\n`)
  vitrine.env.DATABASE_URL = ''
  const { code, stderr } = await vitrine.run(
    '--env-file',
    file,
    'workspace',
    'create',
    '--name',
    'Acme',
    '--slug',
    'acme',
  )
  assert.equal(code, 0)
  assert.equal(
    stderr
      .split('\n')
      .filter((line) => line.includes('warning'))
      .join('\n'),
    `vitrine: warning: COLOUR in ${file} is not a setting and has no effect
vitrine: warning: RATE_LIMT in ${file} is not a setting and has no effect; did you mean RATE_LIMIT?`,
  )
  const server = await vitrine.start('serve', '--env-file', 'vitrine.env')
  assert.ok(server.output().includes(`The data is in ${database}\n`), server.output())
  assert.equal(server.output().match(/RATE_LIMT/g)?.length, 1)
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200)
  assert.equal(await server.stop(), 0)
})

test('the default database is named by its whole path, and a misspelt DATABASE_URL is named', async (t) => {
  const vitrine = program(t)
  vitrine.env.DATABASE_URL = ''
  const file = join(vitrine.folder, 'data/vitrine.db')
  const advice = 'set DATABASE_URL: it is not set, so the database is looked for in the current folder'
  assert.equal(
    (await vitrine.run('workspace', 'list')).stderr,
    `vitrine: ${file}: no database there yet; create one with 'vitrine workspace create', or ${advice}\n`,
  )
  const created = await vitrine.run('workspace', 'create', '--name', 'Acme', '--slug', 'acme')
  assert.match(created.stderr, new RegExp(`^Creating the database ${file}, in the current folder, since`))
  const server = await vitrine.start('demo')
  assert.ok(
    server.output().includes(`The data is in ${file} (in the folder where it was started, since DATABASE_URL is`),
  )
  await server.stop()

  Object.assign(vitrine.env, { DATABASE_URl: `sqlite:${file}`, RATE_LIMITS: '1', VITRINE_URL: 'http://x.example' })
  const again = await vitrine.run('workspace', 'create', '--name', 'B', '--slug', 'b')
  assert.match(again.stderr, /^vitrine: warning: DATABASE_URl is not a setting .*; did you mean DATABASE_URL\?\n/)
  assert.doesNotMatch(again.stderr, /Creating the|RATE_LIMITS|VITRINE_URL/)
})
