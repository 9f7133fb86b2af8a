import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createSigningSecret, sendWebhook } from '../../src/notices/webhook.ts'
import { documentedCode } from '../support/documented.ts'
import { startReceiver } from '../support/notices.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** Reads an array of [secret, headers, body] and prints for each whether it is genuine. */
const REPORT = 'for (const each of JSON.parse(process.argv[2])) console.log(isGenuine(...each))\n'

test("the guide's receiver distinguishes a genuine webhook from others", async (t) => {
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
  const path = join(temporaryFolder(t), 'x.mjs')
  writeFileSync(path, documentedCode('docs/notices.md', 'js') + REPORT)
  const given = JSON.stringify(cases.map(([, ...each]) => each))
  assert.deepEqual(
    execFileSync(process.execPath, [path, given], { encoding: 'utf8' }).trim().split('\n'),
    cases.map(([isGenuine]) => String(isGenuine)),
  )
})
