import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { documentedCode } from '../support/documented.ts'
import { type Program, skipWithout } from '../support/installed-program.ts'
import { startService } from '../support/service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** How to run the guide's program in each language. */
const languages: Record<string, { file: string; run: string[]; needs: Program[]; words?: string }> = {
  sh: { file: 'tasks.sh', run: ['sh', '-e'], needs: ['jq'], words: 'jq -r' },
  ts: { file: 'tasks.ts', run: [process.execPath], needs: [] },
  python: { file: 'tasks.py', run: ['python3'], needs: ['python3'] },
}

async function execute(t: TestContext, language: string, env: Record<string, string>) {
  const { file, run, words } = languages[language] as (typeof languages)[string]
  const path = join(temporaryFolder(t), file)
  writeFileSync(path, documentedCode('docs/rest.md', language, words))
  const [command = '', ...args] = run
  const child = spawn(command, [...args, path], { env: { ...process.env, ...env } })
  const exited = once(child, 'exit')
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = await exited
  return { code, stdout, stderr }
}

for (const [language, { needs }] of Object.entries(languages))
  test(`the guide's ${language} program lists the tasks, and reports a problem`, skipWithout(...needs), async (t) => {
    const service = await startService(t)
    await service.addTasks([
      { id: 'a', title: 'Order lemons', dueAt: '2026-12-01T09:00:00.000Z' },
      { id: 'b', title: 'Alvés & Filhos' },
    ])
    const given = { VITRINE_URL: service.url, VITRINE_KEY: service.key }
    const { code, stdout, stderr } = await execute(t, language, given)
    assert.deepEqual(
      [code, stdout],
      [0, '2026-12-01T09:00:00.000Z Order lemons\nno due date Alvés & Filhos\n'],
      `${stdout}${stderr}`,
    )
    const refused = await execute(t, language, { ...given, VITRINE_KEY: 'vtr_none' })
    assert.notEqual(refused.code, 0)
    if (language !== 'sh') assert.match(refused.stderr, /unauthorized: Send "Authorization: Bearer <key>"/)
  })
