import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { applyEnvFile, readEnvFile } from '../../src/cli/env-file.ts'
import { UsageError } from '../../src/cli/errors.ts'
import { program } from '../support/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

function envFile(t: TestContext, text: string | Buffer): string {
  const file = join(temporaryFolder(t), 'vitrine.env')
  writeFileSync(file, text)
  return file
}

test('the environment takes precedence over the file, even if empty, as in Node.js', (t) => {
  const environment: NodeJS.ProcessEnv = { HOST: '' }
  applyEnvFile(envFile(t, 'PORT=1\nHOST=::1\n'), environment)
  assert.deepEqual(environment, { HOST: '', PORT: '1' })
})

test('each line is read by itself, wherever it has blanks', (t) => {
  const text = `\uFEFF# Vitrine
  export A=1\r
B = "two words" # a comment
C='a # b'

E=\`"'\`
F=
G = a  b \t# e
  #HOST="::1"
H="g\\nh"
`
  assert.deepEqual(readEnvFile(envFile(t, text)), {
    ...{ A: '1', B: 'two words', C: 'a # b', E: '"\'', F: '', G: 'a  b', H: 'g\nh' },
  })
})

test('a line that would be skipped or truncated is rejected by its number, and not repeated', (t) => {
  const form =
    'must be NAME=value, a comment that begins with #, or blank; a value that contains # or quotes must be quoted'
  for (const [text, fault] of [
    ...['PORT: hush', '=hush', '1A=hush', 'A="hush', 'A="x"hush', 'A=hu#sh', 'A=hush\0', 'A=1\rB=hush', 'hush'].map(
      (line) => [`PORT=1\n\n${line}\nB=2`, `line 3: ${form}`],
    ),
    ['A="hush\nx"', `line 1: ${form}`],
    ['A= "hush\nB=2\nC="3"', `line 1: ${form}`],
    ['A=1\n# c\nA=hush', 'line 3: A is already in the file'],
  ] as const) {
    const file = envFile(t, text ?? '')
    assert.throws(() => readEnvFile(file), new UsageError(`--env-file: ${file}, ${fault}`), text)
  }
})

test("a command and a server see the file's settings, and unknown names are reported", async (t) => {
  const vitrine = program(t)
  const file = join(vitrine.folder, 'vitrine.env')
  const database = join(vitrine.folder, 'elsewhere.db')
  writeFileSync(file, `DATABASE_URL_FILE=url\nRATE_LIMT=1;w=1\nCOLOUR=red\nPGAPPNAME=x\nVITRINE_KEY=x\n`)
  vitrine.writeFile('url', `sqlite:${database}\n`)
  vitrine.env.DATABASE_URL = ''
  const { code, stderr } = await vitrine.run(
    ...['--env-file', file, 'workspace', 'create', '--name', 'Acme', '--slug', 'acme'],
  )
  assert.equal(code, 0)
  assert.equal(
    stderr
      .split('\n')
      .filter((line) => line.includes('warning'))
      .join('\n'),
    `vitrine: warning: RATE_LIMT in ${file} is not a setting and has no effect; did you mean RATE_LIMIT?
vitrine: warning: COLOUR in ${file} is not a setting and has no effect`,
  )
  const server = await vitrine.start('serve', '--env-file', 'vitrine.env')
  assert.ok(server.output().includes(`The data is in ${database}\n`), server.output())
  assert.equal(server.output().match(/RATE_LIMT/g)?.length, 1)
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200)
  assert.equal(await server.stop(), 0)
})
