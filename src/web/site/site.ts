import { acceptsHtml } from '../../lib/http-headers.ts'
import type { ServedFile } from '../../lib/served-file.ts'
import type { Page } from '../../operation.ts'
import { ProblemError } from '../../problems/problem.ts'
import { assetAt } from '../assets.ts'
import { compressed } from '../compression.ts'
import { assetResponse, htmlResponse, redirect, siteResponse } from '../responses.ts'
import { serviceUrlOf } from '../service-url.ts'
import { createFrame, notFoundPage } from './frame.ts'
import type { OpenApi } from './openapi.ts'
import { type SiteFacts, type SitePageSource, sitePages } from './pages.ts'
import { sitePaths } from './paths.ts'

export interface SiteOptions extends Omit<SiteFacts, 'frame' | 'document'> {
  config: { publicUrl: string }
  /** The service's own OpenAPI document. */
  openApi: () => object
}

export function createSite({ config, openApi, ...facts }: SiteOptions): Page['respond'] {
  const frame = createFrame(facts)
  const pages = sitePages({ ...facts, frame, document: openApi() as OpenApi })
  /** Created when first asked for. */
  const kept = new Map<string, Promise<ServedFile>>()

  function find(path: string, page: SitePageSource, serviceUrl: string): Promise<ServedFile> {
    // Without PUBLIC_URL a client chooses the name, so the page is not kept; brotli would take twenty times as long as the rest.
    if (page.namesService && config.publicUrl === '') return page.create(serviceUrl, ['gzip'])
    const known = kept.get(path)
    if (known !== undefined) return known
    const created = page.create(serviceUrl)
    kept.set(path, created)
    // The next request tries again.
    created.catch(() => kept.delete(path))
    return created
  }

  return async (request) => {
    const { path } = request
    const asset = assetAt(path)
    if (asset !== undefined) return assetResponse(asset, request)
    const page = pages.get(path)
    if (page !== undefined)
      return siteResponse(await find(path, page, serviceUrlOf({ request, config })), request, page.varies)
    if (path === `${sitePaths.docs}/`) return redirect(sitePaths.docs)
    if (!acceptsHtml(request.header('accept')))
      throw new ProblemError('not_found', 'This path is not one of this service.')
    return compressed(htmlResponse(404, notFoundPage(frame)), request.header('accept-encoding'))
  }
}
