import { writeFile } from 'node:fs/promises'
import { Command, Option } from 'commander'
import { readSmallFile } from '../lib/small-file.ts'
import { UserError } from '../lib/user-error.ts'
import { junitReport, textReport } from '../tools/check/report.ts'
import { checkDeployment } from '../tools/check/run.ts'
import { ExitCode, UsageError } from './errors.ts'
import { parseServerUrl, readGivenKey, refuseKeyAsArgument, warnIfUnencrypted } from './given-server.ts'
import { heading, print, printJson, printMessage, verdict } from './output.ts'
import { showCount, withProgress } from './progress.ts'

interface Options {
  json?: true
  junit?: string
  ca?: string
  sendOrigin?: true
}

export const command = () =>
  new Command('check')
    .description('check that a deployment keeps the published contract, through every proxy before it')
    .argument('<url>', 'the base URL that clients use, such as https://vitrine.example.com')
    // Excess arguments may be a key, so they are refused below.
    .allowExcessArguments()
    .option('--json', 'print the report as JSON')
    .option('--junit <file>', 'also write the report as JUnit XML')
    .option('--ca <file>', 'trust the authorities whose certificates (PEM) are in this file, and no others')
    .option('--send-origin', 'also check that web pages are refused; the key is then recorded as seen in a browser')
    .addOption(new Option('--key <key>').hideHelp())
    .addHelpText(
      'after',
      `
The key comes from VITRINE_KEY, from the file that VITRINE_KEY_FILE names, or from stdin. It only reads, and leaves a
quarter of the key's quota to others. Exit code 0 if everything passed, 1 if a check failed or nothing answers there.

Examples:
  VITRINE_KEY_FILE=key.txt vitrine check https://vitrine.example.com
  vitrine check http://127.0.0.1:3000 --json < key.txt
  vitrine check https://vitrine.internal --ca ca.pem --junit report.xml < key.txt`,
    )
    .action(async (address: string, { key: typed, ...options }: Options & { key?: string }, { args }: Command) => {
      const more = args.slice(1)
      refuseKeyAsArgument(typed, [address, ...more])
      if (more.length > 0) throw new UsageError("check: takes one URL; add --help to see how it's used")
      const url = parseServerUrl(address, '<url>')
      if (url.pathname !== '/')
        throw new UsageError(`<url>: must have no path: the API stands at the root of its host, so give ${url.origin}`)
      await check(url, options)
    })

/** The bundle of all public authorities is a quarter of this. */
const MAX_CA_BYTES = 1024 * 1024

function readCertificates(path: string): string {
  let text: string
  try {
    text = readSmallFile(path, { maxBytes: MAX_CA_BYTES })
  } catch (error) {
    throw new UserError(`--ca: ${(error as Error).message}`)
  }
  if (!text.includes('-----BEGIN CERTIFICATE-----')) throw new UsageError(`--ca: ${path} holds no certificate (PEM)`)
  return text
}

const outcome = { passed: verdict('ok'), skipped: 'skip', failed: verdict('failed') }

async function check(url: URL, { json, junit, ca: caFile, sendOrigin }: Options): Promise<void> {
  const ca = caFile === undefined ? {} : { ca: readCertificates(caFile) }
  const key = await readGivenKey(process.env, { stdin: true })
  warnIfUnencrypted(url)
  const phase = `checking ${url.origin}`
  let done = 0
  const report = await withProgress(phase, () =>
    checkDeployment({
      target: { url, ...ca },
      key,
      ...(sendOrigin && { sendsOrigin: true }),
      onWait: (seconds, reason) => printMessage(`waiting ${seconds} s: ${reason}, and a quarter is left to others`),
      onResult: (_, total) => showCount(phase, ++done, 'checks', total),
    }),
  )
  if (!report.ok) process.exitCode = ExitCode.failure
  if (json) printJson(report)
  else print(textReport(report, { heading, outcome }))
  // The file comes last, so that the printed report is not lost if writing fails.
  if (junit !== undefined) await writeFile(junit, junitReport(report))
}
