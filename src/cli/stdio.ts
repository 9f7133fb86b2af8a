import { isIP } from 'node:net'
import { Command, Option } from 'commander'
import { bridge, MAX_IN_FLIGHT } from '../bridge/bridge.ts'
import { createPost } from '../bridge/post.ts'
import { holdsKey } from '../lib/redact.ts'
import { ExitCode, UsageError } from './errors.ts'
import { readGivenKey } from './given-key.ts'
import { drained, print, printMessage } from './output.ts'

interface Options {
  url: string
  key?: string
}

export const command = () =>
  new Command('stdio')
    .description('connect an MCP client that only starts local programs: MCP on stdin and stdout, from a server')
    // Words too many may be a key, so they are refused here.
    .allowExcessArguments()
    .requiredOption('--url <url>', 'the server, such as https://vitrine.example.com')
    .addOption(new Option('--key <key>').hideHelp())
    .addHelpText(
      'after',
      `
The key comes from VITRINE_KEY, or from the file that VITRINE_KEY_FILE names. Without a path in the URL, it is /v2/mcp.

Examples:
  VITRINE_KEY_FILE=key.txt vitrine stdio --url https://vitrine.example.com
  VITRINE_KEY_FILE=key.txt vitrine stdio --url http://127.0.0.1:3000/v2/mcp`,
    )
    .action(async ({ url: given, key: typed }: Options, { args: more }: Command) => {
      if (typed !== undefined || [given, ...more].some(holdsKey)) throw new UsageError(KEY_AS_ARGUMENT)
      if (more.length > 0) throw new UsageError("stdio: takes no arguments; add --help to see how it's used")
      const url = parseUrl(given)
      const key = await readGivenKey(process.env)
      if (url.protocol === 'http:' && !isLoopback(url))
        printMessage(
          `vitrine: warning: ${url.origin} is not encrypted: everybody on the way can read the key; use https://`,
        )
      await connect(url, key)
    })

const KEY_AS_ARGUMENT =
  'a key must not be an argument: every user of this machine can see it, and the shell keeps it; ' +
  'put it into VITRINE_KEY or a file named by VITRINE_KEY_FILE, and revoke the one you typed'

function parseUrl(text: string): URL {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError('--url: must begin with https:// or http://, such as https://vitrine.example.com')
  if (url.username !== '' || url.password !== '')
    throw new UsageError('--url: must not hold a user name or password: only the key opens the API')
  if (url.search !== '' || url.hash !== '') throw new UsageError('--url: must have no query and no fragment')
  if (url.pathname === '/') url.pathname = '/v2/mcp'
  return url
}

const isLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'))

async function connect(url: URL, key: string): Promise<void> {
  // A client that stops the program waits for nothing more.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(ExitCode.success))
  const { post, close } = createPost(url, key, MAX_IN_FLIGHT)
  const output = {
    async write(line: string) {
      print(line)
      await drained()
    },
    warn: (message: string) => printMessage(`vitrine: ${message}`),
  }
  const { isKeyRefused } = await bridge(process.stdin, post, output)
  close()
  if (isKeyRefused) process.exitCode = ExitCode.failure
}
