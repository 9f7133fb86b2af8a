import { acceptsHtml } from '../lib/accept.ts'
import type { Page, PrivateApp } from '../operation.ts'
import { catalogue } from '../problems/catalogue.ts'
import type { SettingsOptions } from './context.ts'
import { paths } from './paths.ts'
import type { SiteOptions } from './site/site.ts'

/**
 * The settings pages, loaded with the first request for them: a server that only scripts and agents use starts sooner
 * and stays smaller without.
 */
export function createLazyApp(options: SettingsOptions): PrivateApp {
  let app: Promise<PrivateApp['respond']> | undefined
  const load = async () => (await import('./app.ts')).createSettingsApp(options)
  return {
    matches: (path) => path === paths.home || path.startsWith('/settings/') || path.startsWith('/api/'),
    async respond(request) {
      // If loading fails, the next request tries again.
      app ??= load().catch((error) => {
        app = undefined
        throw error
      })
      return (await app)(request)
    },
  }
}

const PROBLEM = '/problems/'

/**
 * The public pages: home, documentation, problems, and the files that all pages share. Loaded with the first request for one, like
 * the settings pages. To programs `/` and `/problems` are what they always were.
 */
export function createLazySite(options: SiteOptions): Page {
  let site: Promise<Page['respond']> | undefined
  const load = async () => (await import('./site/site.ts')).createSite(options)
  return {
    kind: 'page',
    isShed: true,
    matches(path, accept) {
      if (path === '/' || path === '/problems' || isProblem(path)) return acceptsHtml(accept)
      return (
        path === '/llms.txt' || path === '/docs' || path.startsWith('/docs/') || path.startsWith('/settings/assets/')
      )
    },
    async respond(request) {
      // If loading fails, the next request tries again.
      site ??= load().catch((error) => {
        site = undefined
        throw error
      })
      return (await site)(request)
    },
  }
}

const isProblem = (path: string) => path.startsWith(PROBLEM) && Object.hasOwn(catalogue, path.slice(PROBLEM.length))
