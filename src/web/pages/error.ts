import { html } from './html.ts'
import { card, heading, page } from './layout.ts'
import type { ErrorModel } from './model.ts'

export function errorPage({ status, title, text, back, chrome }: ErrorModel): string {
  const onward = html`<p><a class="button" href="${back.href}">${back.text}</a></p>`
  if (chrome === null) return card(title, html`<p class="code">${status}</p><h1>${title}</h1><p>${text}</p>${onward}`)
  const body = [heading({ title, lead: text }), onward]
  return page(chrome, { title, section: null, body })
}
