import type { HttpResponse } from '../api/http-message.ts'
import type { Page } from '../api/operation.ts'
import { ENDPOINT_PATHS } from '../connections/metadata.ts'
import { acceptsHtml } from '../lib/http-headers.ts'
import { lazily } from '../lib/lazily.ts'
import type { SettingsOptions } from './context.ts'
import type { SiteOptions } from './site/site.ts'

function loadedOnce<Request>(load: () => Promise<(request: Request) => Promise<HttpResponse>>) {
  const loaded = lazily(load)
  return async (request: Request): Promise<HttpResponse> => (await loaded())(request)
}

const OAUTH_PATHS = ['/oauth/authorize', ...ENDPOINT_PATHS] as const

/** Loaded with the first request, so a server that only scripts and agents use starts sooner and stays smaller. */
export const createLazyApp = (options: SettingsOptions): Page => ({
  kind: 'settings',
  isSheddable: true,
  paths: ['/settings', '/settings/', '/api/', ...(options.config.connect === undefined ? [] : OAUTH_PATHS)],
  respond: loadedOnce(async () => (await import('./app.ts')).createSettingsApp(options)),
})

/** Only browsers get pages at `/`, at `/problems`, and at unknown paths; programs get the API's responses. */
export const createLazySite = (options: SiteOptions): Page => ({
  kind: 'page',
  isSheddable: true,
  showsNotFound: true,
  paths: ['/', '/problems', '/problems/', '/llms.txt', '/docs', '/docs/', '/settings/assets/'],
  accepts(path, accept) {
    return (path !== '/' && !path.startsWith('/problems')) || acceptsHtml(accept)
  },
  respond: loadedOnce(async () => (await import('./site/site.ts')).createSite(options)),
})
