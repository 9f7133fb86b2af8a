import { moduleUrl } from './module-url.ts'
import { run } from './program.ts'

await run(moduleUrl('../resources/index', import.meta.url).href)
