import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createSigningSecret, sendWebhook } from '../../src/notices/webhook.ts'
import { startReceiver } from '../support/notices.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const guide = readFileSync(join(import.meta.dirname, '../../docs/notices.md'), 'utf8')
const snippet = (language: string) => new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(guide)?.[1] ?? ''

/** Each reads an array of [secret, headers, body] and prints for each whether it is genuine. */
const programs = {
  js: [process.execPath, 'x.mjs', 'for (const each of JSON.parse(process.argv[2])) console.log(isGenuine(...each))'],
  python: [
    'python3',
    'x.py',
    'import json, sys\nfor each in json.loads(sys.argv[1]): print(str(is_genuine(*each)).lower())',
  ],
} as const

for (const [language, [command, file, end]] of Object.entries(programs))
  test(`the guide's receiver in ${language} distinguishes a genuine webhook from others`, async (t) => {
    const receiver = await startReceiver(t)
    const secret = createSigningSecret()
    await sendWebhook({ url: receiver.url, secret, id: 'msg_1', body: '{"text":"“ü”"}' }, { allowPrivate: true })
    const { headers, body } = receiver.received[0] ?? { headers: {}, body: '' }
    const two = { ...headers, 'webhook-signature': `v1,AAAA ${headers['webhook-signature']}` }
    const old = { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 600) }
    const cases = [
      [true, secret, headers, body],
      [true, secret, two, body],
      [false, secret, headers, `${body} `],
      [false, createSigningSecret(), headers, body],
      [false, secret, old, body],
      [false, secret, { ...headers, 'webhook-id': 'msg_2' }, body],
      [false, secret, { ...headers, 'webhook-signature': 'v1,' }, body],
      [false, secret, {}, body],
    ] as const
    const path = join(temporaryFolder(t), file)
    writeFileSync(path, `${snippet(language)}\n${end}\n`)
    const given = JSON.stringify(cases.map(([, ...each]) => each))
    const printed = execFileSync(command, [path, given], { encoding: 'utf8' })
    assert.deepEqual(
      printed.trim().split('\n'),
      cases.map(([isGenuine]) => String(isGenuine)),
    )
  })
