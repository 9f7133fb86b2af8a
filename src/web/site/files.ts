import { existsSync, readdirSync } from 'node:fs'
import { posix } from 'node:path'
import { sitePaths } from '../paths.ts'

const ROOT = new URL('../../../', import.meta.url)

/** The files of the project that are served: those of these folders, and these few. Nothing else can be asked for. */
const folders: [folder: string, names: RegExp][] = [
  ['docs', /\.(md|ndjson)$/],
  ['docs/problems', /\.md$/],
  ['docs/decisions', /\.md$/],
  ['docs/sql', /\.sql$/],
  ['docs/proxies', /^(nginx\.conf|Caddyfile|haproxy\.cfg)$/],
  ['docs/metrics', /\.(yaml|json)$/],
  ['deploy/systemd', /^[\w@.-]+$/],
  ['docs/images', /\.png$/],
  ['contract', /\.json$/],
]
const single = ['SECURITY.md', 'LICENSE']

const types: Record<string, string> = {
  '.md': 'text/markdown; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
}

/** By the path in the project, such as docs/rest.md. Read once, when the first page is asked for. */
export const servedFiles: ReadonlySet<string> = new Set([
  ...folders
    // A package has no images; their place is taken by what they would show, in words.
    .filter(([folder]) => existsSync(new URL(folder, ROOT)))
    .flatMap(([folder, names]) =>
      readdirSync(new URL(folder, ROOT))
        .filter((name) => names.test(name))
        .map((name) => `${folder}/${name}`),
    ),
  ...single,
])

export const fileUrl = (file: string): URL => new URL(file, ROOT)

/** Where the file itself is served. Folders below docs keep their place, so that links from one source to another work. */
export const fileAddress = (file: string): string =>
  file.startsWith('docs/') ? `/${file}` : `${sitePaths.docs}/files/${file}`

export const fileType = (file: string): string => types[posix.extname(file)] ?? 'text/plain; charset=utf-8'

/** Where a person reads the file: as a page if it is Markdown. Undefined if it is not served. */
export function pageAddress(file: string): string | undefined {
  if (file === 'docs/problems/README.md') return sitePaths.problems
  if (!servedFiles.has(file)) return undefined
  const problem = /^docs\/problems\/(\w+)\.md$/.exec(file)?.[1]
  return problem === undefined ? fileAddress(file).replace(/\.md$/, '') : sitePaths.problem(problem)
}

/** The address that a link in a file leads to, or undefined if it leads nowhere from here. */
export function linkAddress(from: string, href: string): string | undefined {
  if (/^(https?:|mailto:|#)/.test(href)) return href
  if (/^[a-z][a-z\d+.-]*:|^\//i.test(href)) return undefined
  const [path = '', section] = href.split('#')
  const address = pageAddress(posix.join(posix.dirname(from), path))
  return address !== undefined && section !== undefined ? `${address}#${section}` : address
}
