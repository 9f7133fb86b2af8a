/** Refreshes a token and is killed before the response can be sent: inside the transaction, or right after its commit. */
import { openOperatorStore, parseDatabaseUrl } from '../../src/database/open.ts'
import { resources } from '../../src/resources/index.ts'
import { connector } from './connector.ts'

const [url = '', refreshToken = '', now = '', when] = process.argv.slice(2)
const store = await openOperatorStore(parseDatabaseUrl(url), resources, { create: false })
const die = () => process.kill(process.pid, 'SIGKILL')
const transaction: typeof store.transaction = (work) =>
  store.transaction(async (tx) => {
    const result = await work(tx)
    if (when === 'before the commit') die()
    return result
  })
await connector({ transaction }, { now: Number(now) }).refresh(refreshToken)
die()
