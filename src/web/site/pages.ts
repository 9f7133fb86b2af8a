import { readFile } from 'node:fs/promises'
import { type Coding, ServedFile } from '../../lib/served-file.ts'
import { problemCodes } from '../../problems/catalogue.ts'
import { apiIndexPage, schemasPage } from './api-page.ts'
import { fileAddress, fileType, fileUrl, pageAddress, servedFiles } from './files.ts'
import type { Frame } from './frame.ts'
import { docsIndexPage, guidePage } from './guide-page.ts'
import { homePage } from './home-page.ts'
import { llmsText } from './llms.ts'
import { type OpenApi, operationsOf } from './openapi.ts'
import { operationPage } from './operation-page.ts'
import { sitePaths } from './paths.ts'
import { problemPage, problemsPage } from './problem-page.ts'

export interface SitePageSource {
  /** Renders or reads it, in all codings or in these. */
  create(serviceUrl: string, codings?: readonly Coding[]): Promise<ServedFile>
  /** Whether it names the address at which this client reaches the service. */
  namesService: boolean
  /** The headers of a request, other than Accept-Encoding, that decide whether this is the response. */
  varies: readonly string[]
}

export interface SiteFacts {
  frame: Frame
  document: OpenApi
  /** The path of the resource that the home page reads as an example. */
  examplePath: string
  hasSettings: boolean
}

/** Everything that can be asked for, by its address. */
export function sitePages({ frame, document, examplePath, hasSettings }: SiteFacts): Map<string, SitePageSource> {
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
