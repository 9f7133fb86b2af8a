import { Option } from 'commander'
import { checkDeployment, textReport } from '../../tools/check/run.ts'
import { Command } from '../command.ts'
import { ExitCode, UsageError } from '../errors.ts'
import { parseServerUrl, readServerKey, rejectKeyAsArgument, warnIfUnencrypted } from '../remote-server.ts'
import { isJson, print, printJson, printMessage, verdicts } from '../terminal/output.ts'

export const command = () =>
  new Command('check', 'check that a deployment, including its proxies, conforms to the published contract')
    .argument('<url>', 'the base URL that clients use, such as https://vitrine.example.com')
    // An excess argument may be a key, so Commander must not print it; it is rejected below.
    .allowExcessArguments()
    .addOption(new Option('--key <key>').hideHelp())
    .notes(`
The key is read from VITRINE_KEY, from the file in VITRINE_KEY_FILE, or from stdin. The command only reads, and leaves a
quarter of the key's quota unused. Exit code 0 if everything passed, 1 if a check failed or the server is unreachable.

Examples:
  VITRINE_KEY_FILE=key.txt vitrine check https://vitrine.example.com
  vitrine check http://127.0.0.1:3000 --json < key.txt`)
    .withResult(async (address: string, { key: keyOption }: { key?: string }, { args }: Command) => {
      const more = args.slice(1)
      rejectKeyAsArgument(keyOption, [address, ...more])
      if (more.length > 0) throw new UsageError('check: expects one URL; see --help')
      const url = parseServerUrl(address, '<url>')
      if (url.pathname !== '/')
        throw new UsageError(`<url>: must not have a path: the API is served at the root, so use ${url.origin}`)
      await check(url)
    })

const outcome = { passed: verdicts.ok, skipped: 'skip', failed: verdicts.failed }

async function check(url: URL): Promise<void> {
  const key = await readServerKey(process.env, { stdin: true })
  warnIfUnencrypted(url)
  const report = await checkDeployment({
    target: { url },
    key,
    onWait: (seconds, reason) => printMessage(`waiting ${seconds} s: ${reason}; a quarter is left unused`),
  })
  if (!report.ok) process.exitCode = ExitCode.failure
  if (isJson()) printJson(report)
  else print(textReport(report, outcome))
}
