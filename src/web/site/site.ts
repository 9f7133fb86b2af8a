import { readFile } from 'node:fs/promises'
import { acceptsHtml } from '../../lib/http-headers.ts'
import { type Coding, ServedFile } from '../../lib/served-file.ts'
import type { Page } from '../../operation.ts'
import { problemCodes } from '../../problems/catalogue.ts'
import { ProblemError } from '../../problems/problem.ts'
import { assetAt } from '../assets.ts'
import { serviceUrlOf, sitePaths } from '../paths.ts'
import { assetResponse, compressed, htmlResponse, redirect, siteResponse } from '../responses.ts'
import { apiIndexPage, schemasPage } from './api-page.ts'
import { fileAddress, fileType, fileUrl, pageAddress, servedFiles } from './files.ts'
import { createFrame, type Frame, notFoundPage } from './frame.ts'
import { docsIndexPage, guidePage, homePage } from './guide-page.ts'
import { llmsText } from './llms.ts'
import { type OpenApi, operationsOf } from './openapi.ts'
import { operationPage } from './operation-page.ts'
import { problemPage, problemsPage } from './problem-page.ts'

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

interface SitePageSource {
  /** Renders or reads it, in all codings or in these. */
  create(serviceUrl: string, codings?: readonly Coding[]): Promise<ServedFile>
  /** Whether it names the address at which this client reaches the service. */
  namesService: boolean
  /** The headers of a request, other than Accept-Encoding, that decide whether this is the response. */
  varies: readonly string[]
}

interface SiteFacts {
  frame: Frame
  document: OpenApi
  /** The path of the resource that the home page reads as an example. */
  examplePath: string
  hasSettings: boolean
}

/** Everything that can be asked for, by its address. */
function sitePages({ frame, document, examplePath, hasSettings }: SiteFacts): Map<string, SitePageSource> {
  const pages = new Map<string, SitePageSource>()
  const addFile = (path: string, type: string, read: (serviceUrl: string) => Content, namesService = false) =>
    pages.set(path, {
      create: async (serviceUrl, codings) => new ServedFile(type, await read(serviceUrl), codings),
      namesService,
      varies: path === sitePaths.home || path.startsWith(sitePaths.problems) ? ['Accept'] : [],
    })
  const addPage = (path: string, render: (serviceUrl: string) => Content, namesService = false) =>
    addFile(path, 'text/html; charset=utf-8', render, namesService)

  addPage(sitePaths.home, (serviceUrl) => homePage(frame, { serviceUrl, examplePath, hasSettings }), true)
  const llms = (serviceUrl: string) => llmsText({ serviceUrl, document, hasSettings })
  addFile(sitePaths.llms, 'text/plain; charset=utf-8', llms, true)
  addPage(sitePaths.docs, () => docsIndexPage(frame))
  for (const file of servedFiles) {
    addFile(fileAddress(file), fileType(file), () => readFile(fileUrl(file)))
    const address = pageAddress(file)
    if (file.endsWith('.md') && address !== undefined) addPage(address, () => guidePage(frame, file))
  }
  addPage(sitePaths.api, () => apiIndexPage(frame, document))
  addPage(sitePaths.schemas, () => schemasPage(frame, document))
  for (const named of operationsOf(document))
    addPage(sitePaths.operation(named.operation.operationId), () => operationPage(frame, document, named))
  addPage(sitePaths.problems, () => problemsPage(frame))
  for (const code of problemCodes) addPage(sitePaths.problem(code), () => problemPage(frame, code, hasSettings))
  return pages
}

type Content = string | Promise<string | Buffer>
