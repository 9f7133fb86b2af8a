import { html } from '../../lib/html.ts'
import { type Chrome, card, heading, page } from './layout.ts'

interface ErrorModel {
  status: number
  title: string
  /** What happened, and what to do. */
  text: string
  /** Where to go from here. */
  back: { href: string; text: string }
  /** Null when nobody is signed in. */
  chrome: Chrome | null
}

export function errorPage({ status, title, text, back, chrome }: ErrorModel): string {
  const onward = html`<p><a class="button" href="${back.href}">${back.text}</a></p>`
  if (chrome === null) return card(title, html`<p class="code">${status}</p><h1>${title}</h1><p>${text}</p>${onward}`)
  const body = [heading({ title, lead: text }), onward]
  return page(chrome, { title, section: null, body })
}
