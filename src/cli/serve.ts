import { Command } from 'commander'
import { readConfig, settings } from '../config.ts'
import type { Context } from './context.ts'
import { printMessage } from './output.ts'
import { serveUntilStopped } from './serving.ts'

const settingLines = Object.entries(settings).map(([name, { default: value, help }]) => {
  const shown = value === '' ? '' : ` (${value})`
  return `  ${name.padEnd(16)} ${help}${shown}`
})

export const command = (context: Context) =>
  new Command('serve')
    .description('serve the workspaces of the database until told to stop')
    .addHelpText(
      'after',
      `
SIGTERM or Ctrl+C stops it: requests in flight are answered first, for ten seconds at most. A second one stops it at once.`,
    )
    .addHelpText('after', `\nSettings, from the environment:\n${settingLines.join('\n')}`)
    .action(() =>
      serveUntilStopped(readConfig(process.env), context, (url) => printMessage(`Vitrine listens on ${url}`)),
    )
