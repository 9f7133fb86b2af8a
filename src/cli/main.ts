import { extname } from 'node:path'
import { run } from './program.ts'

// Named by a URL, whose extension is .ts in a clone and .js in a package.
const { url } = import.meta
await run(new URL(`../resources/index${extname(url)}`, url).href)
