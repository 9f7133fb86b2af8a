import type { HttpResponse } from '../api/http-message.ts'
import type { FileRequest, ServedFile } from '../lib/served-file.ts'
import type { Asset } from './assets.ts'
import { html, type Part } from './html.ts'
import { card, type Link, type PageFrame, page } from './layout/page.ts'
import { paths } from './paths.ts'
import { type ExportFormat, exportRows } from './row-export.ts'

const policy = (formActions = '') =>
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; form-action 'self'${formActions}; base-uri 'none'; frame-ancestors 'none'`

/** No inline scripts or styles, nothing from other origins, no framing, no caching. */
const PROTECTION = Object.entries({
  'Content-Security-Policy': policy(),
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  // With no-referrer, browsers would also hide the Origin of our own forms.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
}).flat()
const NO_STORE = ['Cache-Control', 'no-store']

const textResponse = (status: number, type: string, text: string, headers: readonly string[]): HttpResponse => ({
  status,
  headers: ['Content-Type', type, ...NO_STORE, ...PROTECTION, ...headers],
  body: [Buffer.from(text)],
})

/** Never compressed: it may show a key, whose characters could be guessed from sizes (BREACH). */
export const htmlResponse = (status: number, html: string, headers: readonly string[] = []): HttpResponse =>
  textResponse(status, 'text/html; charset=utf-8', html, headers)

export const protectedJsonResponse = (status: number, value: unknown, headers: readonly string[] = []): HttpResponse =>
  textResponse(status, 'application/json', JSON.stringify(value), headers)

/** Streams a file of any size. Throws if reading its first part fails. */
export async function fileResponse<Row>(
  name: string,
  format: ExportFormat<Row>,
  slices: AsyncIterable<{ matches: Row[] }>,
): Promise<HttpResponse> {
  const parts = exportRows(slices, format)
  const first = await parts.next()
  async function* stream() {
    if (first.done) return
    yield first.value
    yield* parts
  }
  const response = textResponse(200, format.type, '', ['Content-Disposition', `attachment; filename="${name}"`])
  return { ...response, body: [], stream: stream() }
}

export const withHeaders = <A extends HttpResponse>(response: A, headers: readonly string[]): A => ({
  ...response,
  headers: [...response.headers, ...headers],
})

const replaceHeader = <A extends HttpResponse>(response: A, name: string, to: string): A => ({
  ...response,
  headers: response.headers.map((text, index) => (response.headers[index - 1] === name ? to : text)),
})

/**
 * Chrome applies `form-action` to all redirects that follow a form: to the given origin or scheme, and to the site that a
 * client's own page may redirect to from there.
 */
export const allowingFormsTo = <A extends HttpResponse>(response: A, source: string): A =>
  replaceHeader(response, 'Content-Security-Policy', policy(` ${source} https:`))

/** A content security policy has no IPv6 addresses, and a host may contain marks that mean something else there. */
export function formSourceOf(redirectUri: string): string {
  const { origin, protocol } = new URL(redirectUri)
  return /^https?:\/\/[a-z\d.-]+(:\d+)?$/.test(origin) ? origin : protocol
}

/**
 * A client may open the consent page in a popup, and wait in the window that opened it. `same-origin` on any page on the way,
 * a redirect included, would sever that link permanently. The popup cannot be read or framed either way.
 */
export const keepingOpener = <A extends HttpResponse>(response: A): A =>
  replaceHeader(response, 'Cross-Origin-Opener-Policy', 'unsafe-none')

/** After a 303 the browser continues with GET, whatever the method was. */
export const redirect = (to: string, headers: readonly string[] = []): HttpResponse => ({
  status: 303,
  headers: ['Location', to, ...NO_STORE, ...PROTECTION, ...headers],
  body: [],
})

/** An asset's URL changes with its content, so it may be cached forever. */
export const assetResponse = (asset: Asset, request: FileRequest) =>
  asset.respond(request, ['Cache-Control', 'public, max-age=31536000, immutable', ...PROTECTION])

/** Public pages change with the version, so caches must revalidate them. */
export const siteResponse = (file: ServedFile, request: FileRequest, varies: readonly string[]) =>
  file.respond(request, ['Cache-Control', 'no-cache', ...PROTECTION], varies)

/** Thrown to respond with an error page. A person reads its message, as the title, and its text. */
export class PageError extends Error {
  override name = 'PageError'
  readonly status: number
  readonly text: Part
  readonly headers: readonly string[]
  /** Defaults to the keys, or to the settings without a frame. */
  readonly back: Link | undefined

  constructor(status: number, title: string, text: Part, headers: readonly string[] = [], back?: Link) {
    super(title)
    this.text = text
    this.back = back
    this.status = status
    this.headers = headers
  }
}

/** The same response for missing and forbidden pages reveals neither. */
export const pageNotFound = () =>
  new PageError(404, 'Page not found', 'It was moved, or it belongs to a workspace that you are not a member of.')

export const errorPageResponse = (error: PageError, frame: PageFrame | null = null): HttpResponse =>
  htmlResponse(error.status, errorPage(error, frame), error.headers)

export function errorPage({ message: title, text: lead, back }: PageError, frame: PageFrame | null): string {
  const home =
    frame === null
      ? { href: paths.home, text: 'Go to the settings' }
      : { href: paths.keys(frame.workspace.slug), text: 'Go to the API keys' }
  const { href, text } = back ?? home
  const onward = html`<p><a class="button" href="${href}">${text}</a></p>`
  if (frame === null) return card(title, html`<h1>${title}</h1><p>${lead}</p>${onward}`)
  return page(frame, { title, lead, body: onward })
}
