import { readFile } from 'node:fs/promises'
import type { PublicPage } from '../../api/operation.ts'
import { acceptsHtml } from '../../lib/http-headers.ts'
import { lazily } from '../../lib/lazily.ts'
import { type OpenApi, operationsOf } from '../../lib/openapi.ts'
import { type Coding, ServedFile } from '../../lib/served-file.ts'
import { ProblemError } from '../../problems/problem.ts'
import { assetAt } from '../assets.ts'
import { html } from '../html.ts'
import { serviceUrlOf, sitePaths } from '../paths.ts'
import { assetResponse, compressed, htmlResponse, redirect, siteResponse } from '../responses.ts'
import { apiIndexPage, schemaPage } from './api-page.ts'
import { fileAddress, fileType, fileUrl, hasServiceUrl, pageAddress, servedFiles, withServiceUrl } from './files.ts'
import { createSiteFrame, notFoundPage, type SiteFrame } from './frame.ts'
import { docsIndexPage, guidePage, homePage } from './guide-page.ts'
import { llmsText } from './llms.ts'
import { operationPage } from './operation-page.ts'
import { readSections, searchPage } from './search.ts'

export interface SiteOptions {
  config: { publicUrl: string }
  openApi: () => object
  examplePath: string
  hasSettings: boolean
}

export function createSite(options: SiteOptions): PublicPage['respond'] {
  const { config } = options
  const frame = createSiteFrame(options)
  const files = siteFiles(frame, options)
  const sections = lazily(readSections)

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
    if (path === sitePaths.search) {
      const page = searchPage(frame, await sections(), request.query, serviceUrl)
      return compressed(htmlResponse(200, page), request.header('accept-encoding'))
    }
    if (path === `${sitePaths.docs}/` || path === `${sitePaths.problems}/`) return redirect(path.slice(0, -1))
    if (!acceptsHtml(request.header('accept'))) throw new ProblemError('not_found', 'This service has no such path.')
    return compressed(htmlResponse(404, notFoundPage(frame)), request.header('accept-encoding'))
  }
}

/** The content may contain the URL at which this client reaches the service. */
type Content = (serviceUrl: string) => string | Promise<string | Buffer>

const escaped = (text: string) => html`${text}`.text

function siteFiles(frame: SiteFrame, { config, openApi, examplePath, hasSettings }: SiteOptions) {
  const { publicUrl } = config
  const document = openApi() as OpenApi
  const files = new Map<string, (serviceUrl: string) => Promise<ServedFile>>()
  const addFile = (path: string, type: string, read: Content, namesService = false) => {
    const create = async (serviceUrl: string, codings?: readonly Coding[]) =>
      new ServedFile(type, await read(serviceUrl), codings)
    // Without PUBLIC_URL, clients choose the host name, so this is not cached, and brotli would take too long.
    const isCached = !namesService || publicUrl !== ''
    files.set(path, isCached ? lazily(() => create(publicUrl)) : (serviceUrl) => create(serviceUrl, ['gzip']))
  }
  const addPage = (path: string, read: Content, namesService = false) =>
    addFile(path, 'text/html; charset=utf-8', read, namesService)

  addPage(sitePaths.home, (serviceUrl) => homePage(frame, serviceUrl, examplePath, hasSettings), true)
  const llms = (serviceUrl: string) => llmsText(serviceUrl, document, hasSettings)
  addFile(sitePaths.llms, 'text/plain; charset=utf-8', llms, true)
  for (const file of servedFiles) {
    const address = pageAddress(file)
    const isPage = file.endsWith('.md') && address !== undefined
    const namesService = isPage && hasServiceUrl(file)
    const bytes = () => readFile(fileUrl(file))
    const source: Content = async (serviceUrl) => withServiceUrl(file, String(await bytes()), serviceUrl)
    addFile(fileAddress(file), fileType(file), namesService ? source : bytes, namesService)
    if (!isPage) continue
    const page = () => guidePage(frame, file, hasSettings)
    // Rendered once: only the address differs from request to request.
    const rendered = lazily(page)
    const named: Content = async (serviceUrl) => withServiceUrl(file, await rendered(), escaped(serviceUrl))
    addPage(address, namesService ? named : page, namesService)
  }
  addPage(sitePaths.docs, () => docsIndexPage(frame))
  addPage(sitePaths.api, () => apiIndexPage(frame, document))
  for (const [name, schema] of Object.entries(document.components.schemas))
    addPage(sitePaths.schema(name), () => schemaPage(frame, name, schema))
  for (const named of operationsOf(document))
    addPage(sitePaths.operation(named.operation.operationId), () => operationPage(frame, document, named))
  return files
}
