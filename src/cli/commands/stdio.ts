import { Option } from 'commander'
import { bridge } from '../../tools/stdio/bridge.ts'
import { Command } from '../command.ts'
import { ExitCode, UsageError } from '../errors.ts'
import { parseServerUrl, readServerKey, rejectKeyAsArgument, warnIfUnencrypted } from '../remote-server.ts'
import { drained, print, printMessage, sanitize } from '../terminal/output.ts'

export const command = () =>
  new Command('stdio', 'connect an MCP client that can only start local programs: a bridge between stdio and a server')
    // An excess argument may be a key, so Commander must not print it; it is rejected below.
    .allowExcessArguments()
    .requiredOption('--url <url>', 'the server, such as https://vitrine.example.com')
    .addOption(new Option('--key <key>').hideHelp())
    .notes(`
The key is read from VITRINE_KEY, or from the file in VITRINE_KEY_FILE. The default path of the URL is /v2/mcp.

Examples:
  VITRINE_KEY_FILE=key.txt vitrine stdio --url https://vitrine.example.com
  VITRINE_KEY_FILE=key.txt vitrine stdio --url http://127.0.0.1:3000/v2/mcp`)
    .action(async ({ url: urlText, key: keyOption }: { url: string; key?: string }, { args: more }: Command) => {
      rejectKeyAsArgument(keyOption, [urlText, ...more])
      if (more.length > 0) throw new UsageError('stdio: takes no arguments; see --help')
      const url = parseServerUrl(urlText, '--url')
      if (url.pathname === '/') url.pathname = '/v2/mcp'
      const key = await readServerKey(process.env)
      warnIfUnencrypted(url)
      // A client that stops this program does not wait for responses.
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(ExitCode.success))
      const { isKeyRefused } = await bridge({
        input: process.stdin,
        url,
        key,
        async write(line) {
          print(line)
          await drained()
        },
        warn: (message) => printMessage(`vitrine: ${sanitize(message)}`),
      })
      if (isKeyRefused) process.exitCode = ExitCode.failure
    })
