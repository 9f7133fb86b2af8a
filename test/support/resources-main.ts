/** The command line over the list of resources whose URL is the first argument, as src/cli/main.ts is over the published list. */
import { run } from '../../src/cli/program.ts'

const [node = '', main = '', resources = '', ...words] = process.argv
await run(resources, [node, main, ...words])
