import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeSelfSigned } from '../support/certificates.ts'
import { installedProgram } from '../support/installed-program.ts'
import { freePort } from '../support/listen.ts'
import { waitUntil } from '../support/wait.ts'

export const proxyNames = ['nginx', 'caddy', 'haproxy'] as const
export type ProxyName = (typeof proxyNames)[number]

export interface RunningProxy {
  /** Over TLS. */
  url: string
  /** The port that redirects to it. */
  plainUrl: string
  /** A certificate to trust: that of the proxy itself. */
  caFile: string
  pid: number
  /** Its access log and other output. */
  log(): string
  stop(): Promise<void>
}

interface Place {
  folder: string
  httpPort: number
  httpsPort: number
  backends: readonly number[]
  certFile: string
  keyFile: string
}

/** What a documented configuration needs to run here: other addresses, ports and files, and no account of its own. */
interface Recipe {
  file: string
  substitutions(place: Place): [documented: string, here: string][]
  /** What the configuration takes from the environment. */
  environment?(place: Place): Record<string, string>
  /** The arguments to run it in the foreground; writes what it needs besides. */
  run(place: Place, file: string): string[]
}

const perBackend = (backends: readonly number[], line: (port: number, index: number) => string) =>
  backends.map(line).join('\n')

const recipes: Record<ProxyName, Recipe> = {
  nginx: {
    file: 'nginx.conf',
    substitutions: ({ folder, httpPort, httpsPort, backends, certFile, keyFile }) => [
      [
        '    server 127.0.0.1:3001 max_fails=0;',
        perBackend(backends, (port) => `server 127.0.0.1:${port} max_fails=0;`),
      ],
      ['    server 127.0.0.1:3002 max_fails=0;', ''],
      ['vitrine.example.com', '127.0.0.1'],
      ['listen 80;', `listen 127.0.0.1:${httpPort};`],
      ['listen [::]:80;', ''],
      ['listen 443 ssl http2;', `listen 127.0.0.1:${httpsPort} ssl http2;`],
      ['listen [::]:443 ssl http2;', ''],
      ['/etc/ssl/vitrine/fullchain.pem', certFile],
      ['/etc/ssl/vitrine/privkey.pem', keyFile],
      ['/var/log/nginx/vitrine.log', join(folder, 'log')],
      ['/var/log/nginx/error.log', 'stderr'],
    ],
    run({ folder }, file) {
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      const main = join(folder, 'main.conf')
      // As Debian's nginx.conf, which also compresses: a site must not rely on the defaults.
      writeFileSync(
        main,
        `daemon off; worker_processes 1; pid ${folder}/pid; error_log stderr; ${process.getuid?.() === 0 ? 'user root;' : ''}
events {} http { gzip on; ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')} include ${file}; }`,
      )
      return ['-p', folder, '-e', 'stderr', '-c', main]
    },
  },
  caddy: {
    file: 'Caddyfile',
    substitutions: ({ httpPort, httpsPort }) => [
      [
        '\tservers {',
        `\tadmin off\n\thttp_port ${httpPort}\n\thttps_port ${httpsPort}\n\tdefault_bind 127.0.0.1\n\tservers {`,
      ],
    ],
    environment: ({ backends, certFile, keyFile }) => ({
      VITRINE_SERVERS: backends.map((port) => `127.0.0.1:${port}`).join(' '),
      VITRINE_SITE: '127.0.0.1',
      VITRINE_TLS: `${certFile} ${keyFile}`,
    }),
    run: (_, file) => ['run', '--config', file, '--adapter', 'caddyfile'],
  },
  haproxy: {
    file: 'haproxy.cfg',
    substitutions: ({ folder, httpPort, httpsPort, backends }) => [
      ['    user haproxy\n    group haproxy\n', ''],
      ['bind :80\n', `bind 127.0.0.1:${httpPort}\n`],
      ['bind :443 ', `bind 127.0.0.1:${httpsPort} `],
      ['/etc/ssl/vitrine/vitrine.pem', join(folder, 'both.pem')],
      [
        '    server vitrine1 127.0.0.1:3001',
        perBackend(backends, (port, index) => `    server vitrine${index + 1} 127.0.0.1:${port}`),
      ],
      ['    server vitrine2 127.0.0.1:3002\n', ''],
    ],
    run({ folder, certFile, keyFile }, file) {
      writeFileSync(join(folder, 'both.pem'), readFileSync(certFile, 'utf8') + readFileSync(keyFile, 'utf8'))
      return ['-f', file]
    },
  },
}

/** The text of a configuration in docs/proxies/. */
export const documentedConfiguration = (name: ProxyName): string =>
  readFileSync(new URL(`../../docs/proxies/${recipes[name].file}`, import.meta.url), 'utf8')

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** A real proxy with its documented configuration, and changes that a page describes, in front of servers on these ports. It needs no root. */
export async function startProxy(
  name: ProxyName,
  backends: readonly number[],
  changes: readonly [documented: string, changed: string][] = [],
): Promise<RunningProxy> {
  const program = installedProgram(name)
  if (program === undefined) throw new Error(`${name} is not installed`)
  const folder = mkdtempSync(join(tmpdir(), `vitrine-${name}-`))
  const [httpPort, httpsPort] = [await freePort(), await freePort()]
  const place = { folder, httpPort, httpsPort, backends, ...writeSelfSigned(folder) }
  const recipe = recipes[name]
  const file = join(folder, recipe.file)
  writeFileSync(file, substitute(documentedConfiguration(name), [...changes, ...recipe.substitutions(place)]))
  const home = join(folder, 'home')
  mkdirSync(home)
  const child = spawn(program, recipe.run(place, file), {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      XDG_CONFIG_HOME: home,
      XDG_DATA_HOME: home,
      ...recipe.environment?.(place),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => output.push(text))
  const exited = once(child, 'exit')
  running.add(child)
  const log = () => output.join('') + (name === 'nginx' ? readFileSync(join(folder, 'log'), 'utf8') : '')
  const stop = async () => {
    running.delete(child)
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
    await exited
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await waitUntil(
      async () => {
        if (child.exitCode !== null) throw new Error(`${name} did not start: ${output.join('')}`)
        return (await accepts(httpPort)) && (await accepts(httpsPort))
      },
      { message: `${name} did not listen`, everyMs: 20 },
    )
  } catch (error) {
    await stop()
    throw error
  }
  const url = `https://127.0.0.1:${httpsPort}`
  return { url, plainUrl: `http://127.0.0.1:${httpPort}`, caFile: place.certFile, pid: child.pid ?? 0, log, stop }
}

/** Replaces every occurrence. Fails without one: then the configuration and this list have diverged. */
function substitute(text: string, substitutions: readonly [string, string][]): string {
  let result = text
  for (const [documented, here] of substitutions) {
    if (!result.includes(documented)) throw new Error(`the configuration has no "${documented}"`)
    result = result.replaceAll(documented, () => here)
  }
  return result
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
