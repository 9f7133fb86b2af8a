/** Runs a statement against a database: node other-process-main.ts URL SQL */
import { connectElsewhere } from './database.ts'

const [, , url = '', sql = ''] = process.argv
const elsewhere = await connectElsewhere(url)
await elsewhere.run(sql)
await elsewhere.close()
