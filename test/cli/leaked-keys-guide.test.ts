import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createToken } from '../../src/lib/key-format.ts'
import { documentedCode } from '../support/documented.ts'
import { skipWithout } from '../support/installed-program.ts'
import { acmeProgram } from '../support/program.ts'

const PAGE = 'docs/keys.md'
const BIN = join(import.meta.dirname, '../../bin')

const gitleaks = documentedCode(PAGE, 'toml', 'vitrine-key')
const trufflehog = documentedCode(PAGE, 'yaml', 'vitrine-key')

/** Both scanners look for the keyword first, case-insensitively. */
const rules = [
  {
    pattern: /regex = '''(.+)'''/.exec(gitleaks)?.[1] ?? '',
    keyword: /keywords = \["(.+)"\]/.exec(gitleaks)?.[1] ?? '',
  },
  { pattern: /key: '(.+)'/.exec(trufflehog)?.[1] ?? '', keyword: /keywords: \[(.+)\]/.exec(trufflehog)?.[1] ?? '' },
]

/** A text, and what of it is a key. */
function samples(): [text: string, found: string | null][] {
  const tokens = Array.from({ length: 200 }, createToken)
  const [token = ''] = tokens
  const escaped = token.replace('_', '\\_')
  return [
    ...tokens.map((each): [string, string] => [each, each]),
    [`Authorization: Bearer ${token}\r\n`, token],
    [`https://vitrine.example.com/tasks?key=${token}&x=1`, token],
    [`{"key":"${token}"}`, token],
    [`KEY=${token}.`, token],
    [`| ${escaped} |`, escaped],
    [token.slice(0, -1), null],
    [`${token.slice(0, 30)}-${token.slice(31)}`, null],
    [`${token.slice(0, 30)} ${token.slice(31)}`, null],
    [token.replace('_', '-'), null],
    [token.replace('_', ''), null],
    [token.slice(1), null],
    [token.toUpperCase(), null],
    [`${token.slice(0, 10)}…`, null],
    ['vtr_[redacted]', null],
    [`vtr_${'x'.repeat(20)}_${'x'.repeat(28)}`, null],
  ]
}

test("the guide's rules find keys, also with Markdown's escapes, and nothing that only resembles one", () => {
  for (const { pattern, keyword } of rules)
    for (const [text, found] of samples()) {
      assert.equal(new RegExp(pattern).exec(text)?.[0] ?? null, found, `${pattern} ${text}`)
      if (found !== null) assert.ok(keyword !== '' && text.includes(keyword), `${keyword} ${text}`)
    }
})

/** A scanner that has found a key with a Markdown escape, another rule's secret, and a key that no one knows. */
const reports = {
  gitleaks: (secrets: [rule: string, secret: string][]) =>
    JSON.stringify(secrets.map(([RuleID, Secret]) => ({ RuleID, Secret }))),
  trufflehog: (secrets: [rule: string, secret: string][]) =>
    secrets.map(([name, Raw]) => JSON.stringify({ DetectorName: 'CustomRegex', Raw, ExtraData: { name } })).join('\n'),
}

for (const [scanner, reportOf] of Object.entries(reports))
  test(`the guide's command looks up what ${scanner} reports`, skipWithout('jq'), async (t) => {
    const vitrine = await acmeProgram(t)
    const { token, id } = await vitrine.createKey()
    const secrets: [string, string][] = [
      ['vitrine-key', token.replace('_', '\\_')],
      ['generic-api-key', 'hunter2'],
      ['vitrine-key', createToken()],
    ]
    vitrine.writeFile('report', reportOf(secrets))
    chmodSync(join(vitrine.folder, vitrine.writeFile(scanner, '#!/bin/sh\nexec cat report\n')), 0o755)
    const { status, stdout, stderr } = spawnSync('sh', [], {
      input: documentedCode(PAGE, 'sh', scanner),
      cwd: vitrine.folder,
      env: { ...vitrine.env, PATH: `${vitrine.folder}:${BIN}:${process.env.PATH}` },
      encoding: 'utf8',
    })
    assert.deepEqual([status, stderr], [1, ''])
    assert.match(
      stdout,
      new RegExp(`^vtr_\\w{6}…  live  ${id}  .*\\n  vitrine key revoke ${id}\\nvtr_\\w{6}…  unknown\\n$`),
    )
  })
