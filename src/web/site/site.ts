import { readFile } from 'node:fs/promises'
import type { Page } from '../../api/operation.ts'
import { acceptsHtml } from '../../lib/http-headers.ts'
import { lazily } from '../../lib/lazily.ts'
import type { OpenApi } from '../../lib/openapi.ts'
import { ServedFile } from '../../lib/served-file.ts'
import { ProblemError } from '../../problems/problem.ts'
import { assetAt } from '../assets.ts'
import { serviceUrlOf, sitePaths } from '../paths.ts'
import { assetResponse, htmlResponse, redirect, siteResponse } from '../responses.ts'
import { apiIndexPage, operationPage, operationsOf, schemaPage } from './api-pages.ts'
import { fileAddress, fileType, fileUrl, pageAddress, servedFiles } from './files.ts'
import { createSiteFrame, notFoundPage, type SiteFrame } from './frame.ts'
import { docsIndexPage, guidePage, homePage } from './guide-page.ts'
import { isLocalGuide, LOCAL_URL, withServiceUrl } from './guides.ts'
import { llmsText } from './llms.ts'

export interface SiteOptions {
  config: { publicUrl: string }
  openApi: () => object
  examplePath: string
  hasSettings: boolean
}

export function createSite(options: SiteOptions): Page['respond'] {
  const { config } = options
  const frame = createSiteFrame(options)
  const files = siteFiles(frame, options)

  return async (request) => {
    const { path } = request
    const serviceUrl = serviceUrlOf({ request, config })
    const asset = assetAt(path)
    if (asset !== undefined) return assetResponse(asset, request)
    const file = files.get(path)
    if (file !== undefined) {
      // Programs get the API's responses at these paths.
      const varies = path === sitePaths.home || path.startsWith(sitePaths.problems) ? ['Accept'] : []
      return siteResponse(await file(serviceUrl), request, varies)
    }
    if (path === `${sitePaths.docs}/`) return redirect(sitePaths.docs)
    if (!acceptsHtml(request.header('accept'))) throw new ProblemError('not_found', 'This service has no such path.')
    return htmlResponse(404, notFoundPage(frame))
  }
}

type Content = () => string | Buffer | Promise<string | Buffer>

function siteFiles(frame: SiteFrame, { config, openApi, examplePath, hasSettings }: SiteOptions) {
  const { publicUrl } = config
  const document = openApi() as OpenApi
  const files = new Map<string, (serviceUrl: string) => Promise<ServedFile>>()
  /** Rendered once. Unless the file is fixed, the service's address then takes the place of LOCAL_URL. */
  const addFile = (path: string, type: string, read: Content, isFixed = false) => {
    const content = lazily(async () => read())
    const create = async (serviceUrl: string) => {
      const rendered = await content()
      return new ServedFile(type, isFixed ? rendered : withServiceUrl(String(rendered), serviceUrl))
    }
    const cached = lazily(() => create(publicUrl))
    files.set(path, async (serviceUrl) => {
      // Without PUBLIC_URL, clients choose the host name, so this is not cached.
      const varies = !isFixed && publicUrl === '' && (await content()).includes(LOCAL_URL)
      return varies ? create(serviceUrl) : cached()
    })
  }
  const addPage = (path: string, read: Content, isFixed = false) =>
    addFile(path, 'text/html; charset=utf-8', read, isFixed)

  addPage(sitePaths.home, () => homePage(frame, LOCAL_URL, examplePath, hasSettings))
  addFile(sitePaths.llms, 'text/plain; charset=utf-8', () => llmsText(LOCAL_URL, document, hasSettings))
  for (const file of servedFiles) {
    const address = pageAddress(file)
    const isPage = file.endsWith('.md') && address !== undefined
    const isFixed = !isPage || isLocalGuide(file)
    addFile(fileAddress(file), fileType(file), () => readFile(fileUrl(file)), isFixed)
    if (isPage) addPage(address, () => guidePage(frame, file, hasSettings), isFixed)
  }
  addPage(sitePaths.docs, () => docsIndexPage(frame))
  addPage(sitePaths.api, () => apiIndexPage(frame, document))
  for (const [name, schema] of Object.entries(document.components.schemas))
    addPage(sitePaths.schema(name), () => schemaPage(frame, name, schema))
  for (const named of operationsOf(document))
    addPage(sitePaths.operation(named.operation.operationId), () => operationPage(frame, document, named))
  return files
}
