import { acceptsHtml } from '../../lib/http-headers.ts'
import type { Page } from '../../operation.ts'
import { catalogue } from '../../problems/catalogue.ts'
import type { SiteOptions } from './site.ts'

const PROBLEM = '/problems/'

/**
 * The public pages: home, documentation, problems, and the files that all pages share. Loaded with the first request for one, like
 * the settings pages. To programs `/` and `/problems` are what they always were.
 */
export function createLazySite(options: SiteOptions): Page {
  let site: Promise<Page['respond']> | undefined
  const load = async () => (await import('./site.ts')).createSite(options)
  return {
    kind: 'page',
    isShed: true,
    paths: ['/', '/problems', '/problems/', '/llms.txt', '/docs', '/docs/', '/settings/assets/'],
    isFor(path, accept) {
      if (path.startsWith(PROBLEM)) return acceptsHtml(accept) && Object.hasOwn(catalogue, path.slice(PROBLEM.length))
      return (path !== '/' && path !== '/problems') || acceptsHtml(accept)
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
