import { existsSync, readdirSync } from 'node:fs'
import { posix } from 'node:path'
import { sitePaths } from '../paths.ts'

const ROOT = new URL('../../../', import.meta.url)

/** Only these files are served. */
const folders: [folder: string, names: RegExp][] = [
  ['docs', /^(?!README).*\.(md|ndjson)$/],
  ['docs/problems', /\.md$/],
  ['docs/decisions', /\.md$/],
  ['docs/sql', /\.sql$/],
  ['docs/proxies', /^(nginx\.conf|Caddyfile|haproxy\.cfg)$/],
  ['docs/metrics', /\.(yaml|json)$/],
  ['deploy/systemd', /^[\w@.-]+$/],
  ['docs/images', /\.png$/],
  ['contract', /\.json$/],
]
const single = ['SECURITY.md', 'LICENSE', 'LICENCES.md']

const types: Record<string, string> = {
  '.md': 'text/markdown; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
}

/** Paths in the project, such as docs/rest.md. */
export const servedFiles: ReadonlySet<string> = new Set([
  ...folders
    // The npm package has no images; their alt text is shown instead.
    .filter(([folder]) => existsSync(new URL(folder, ROOT)))
    .flatMap(([folder, names]) =>
      readdirSync(new URL(folder, ROOT))
        .filter((name) => names.test(name))
        .map((name) => `${folder}/${name}`),
    ),
  ...single,
])

export const fileUrl = (file: string): URL => new URL(file, ROOT)

/** Folders below docs keep their paths, so that links between Markdown files work. */
export const fileAddress = (file: string): string =>
  file.startsWith('docs/') ? `/${file}` : `${sitePaths.docs}/files/${file}`

export const fileType = (file: string): string => types[posix.extname(file)] ?? 'text/plain; charset=utf-8'

/** Markdown is shown as a page. Undefined if the file is not served. */
export function pageAddress(file: string): string | undefined {
  if (file === 'docs/problems/README.md') return sitePaths.problems
  if (!servedFiles.has(file)) return undefined
  const problem = /^docs\/problems\/(\w+)\.md$/.exec(file)?.[1]
  return problem === undefined ? fileAddress(file).replace(/\.md$/, '') : sitePaths.problem(problem)
}

/** Undefined if the link has no target here. */
export function linkAddress(from: string, href: string): string | undefined {
  if (/^(https?:|mailto:|#)/.test(href)) return href
  if (/^[a-z][a-z\d+.-]*:|^\//i.test(href)) return undefined
  const [path = '', section] = href.split('#')
  const address = pageAddress(posix.join(posix.dirname(from), path))
  return address !== undefined && section !== undefined ? `${address}#${section}` : address
}
