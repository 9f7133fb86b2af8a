import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

export const programs = join(import.meta.dirname, 'programs/node_modules')

/** The options of a test that runs these tools: if they are not installed, it is skipped with a hint how to install them. */
export const skipWithoutPrograms = (): { skip?: string } =>
  existsSync(join(programs, 'openapi-typescript')) ? {} : { skip: 'the tools are not installed: npm run test:install' }

/** Where each tool's program is; none of them needs a shell or a network. */
const files = {
  'openapi-typescript': 'openapi-typescript/bin/cli.js',
  redocly: '@redocly/cli/bin/cli.js',
  spectral: '@stoplight/spectral-cli/dist/index.js',
}

const QUIET = { NO_COLOR: '1', REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', DO_NOT_TRACK: '1' }

/** Runs a tool in a folder; returns its exit code and output. */
export async function runTool(name: keyof typeof files, folder: string, args: readonly string[]) {
  const { PATH = '' } = process.env
  const options = { cwd: folder, env: { PATH, HOME: folder, TMPDIR: folder, ...QUIET } }
  const run = promisify(execFile)(process.execPath, [join(programs, files[name]), ...args], options)
  return run.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code: code as number, stdout: String(stdout), stderr: String(stderr) }),
  )
}
