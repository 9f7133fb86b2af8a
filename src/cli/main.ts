import { run } from './program.ts'

await run(import.meta.resolve('../resources/index.ts'))
