/** The command line over index.ts here, as src/cli/main.ts is over the published list. */
import { run } from '../../../src/cli/program.ts'

await run(import.meta.resolve('./index.ts'))
