import { version } from '../../version.ts'
import { assets } from '../assets.ts'
import { type Html, html, type Part } from '../html.ts'
import { document } from '../layout/page.ts'
import { paths, sitePaths } from '../paths.ts'
import { guideGroups } from './guides.ts'

type SitePart = 'docs' | 'api' | 'problems'

export type SiteFrame = (page: { title: string; part: SitePart | null; aside?: Part; body: Part }) => string

export const createSiteFrame =
  ({ hasSettings }: { hasSettings: boolean }): SiteFrame =>
  ({ title, part, aside = null, body }) =>
    document(
      title,
      html`<a class="skip" href="#main">Skip to the content</a>
<header class="top"><a class="brand" href="${sitePaths.home}"><img src="${assets['icon.svg'].path}" width="26" height="26" alt="">Vitrine</a>
<nav aria-label="Site"><ul class="links">${link('docs', part, sitePaths.docs, 'Docs')}${link('api', part, sitePaths.api, 'API reference')}${link('problems', part, sitePaths.problems, 'Problems')}${hasSettings && link(null, part, paths.home, 'Settings')}</ul></nav></header>
<div class="site${aside === null && ' alone'}">${aside !== null && html`<div class="aside">${aside}</div>`}<main id="main" tabindex="-1">${body}</main></div>
<footer class="foot"><p>Vitrine ${version}</p><ul class="links"><li><a href="${sitePaths.openApi}">OpenAPI</a></li><li><a href="${sitePaths.llms}">llms.txt</a></li></ul></footer>`,
      assets['docs.css'],
    )

const link = (target: SitePart | null, current: SitePart | null, href: string, text: string): Html =>
  html`<li><a href="${href}"${target !== null && target === current && html` aria-current="true"`}>${text}</a></li>`

/** Next to each guide; collapsed on phones. */
export const guideList = (current: string | null): Html =>
  html`<nav class="guides" aria-label="Guides"><details><summary>All guides</summary>${guideGroups.map(
    ({ title, guides }) =>
      html`<p>${title}</p><ul>${guides.map(([name, text]) => html`<li><a href="${sitePaths.guide(name)}"${sitePaths.guide(name) === current && html` aria-current="page"`}>${text}</a></li>`)}</ul>`,
  )}</details></nav>`

export const contents = (sections: readonly { id: string; text: Part }[]): Part =>
  sections.length > 1 &&
  html`<nav class="contents" aria-label="On this page"><details><summary>On this page</summary><ul>${sections.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}</ul></details></nav>`

export const notFoundPage = (frame: SiteFrame): string =>
  frame({
    title: 'Page not found',
    part: null,
    body: html`<div class="article"><h1>Page not found</h1><p class="lead">There is nothing at this address, in the version of Vitrine that runs here.</p>
<p class="buttons"><a class="button primary" href="${sitePaths.docs}">All guides</a><a class="button" href="${sitePaths.home}">Home</a></p></div>`,
  })
