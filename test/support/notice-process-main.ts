/** Detects and sends notices until it is killed: node notice-process-main.ts DATABASE_URL SMTP_URL */
import { openOperatorStore, parseDatabaseUrl } from '../../src/database/open.ts'
import { startNotices } from '../../src/notices/timer.ts'
import { resources } from '../../src/resources/index.ts'

const [, , url = '', smtpUrl = ''] = process.argv
// A settings store would give up on a busy machine, which repeats a delivery after minutes.
const store = await openOperatorStore(parseDatabaseUrl(url), resources, { create: false })
startNotices(store, {
  publicUrl: 'https://vitrine.example',
  mail: { smtpUrl, from: 'vitrine@vitrine.example' },
  webhook: { allowPrivate: true, timeoutMs: 60_000 },
  onFailure: (error) => process.stderr.write(`${(error as Error).message}\n`),
  detectEveryMs: 20,
  deliverEveryMs: 20,
})
process.stdout.write('running\n')
setInterval(() => {}, 1000)
