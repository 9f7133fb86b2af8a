import { Marked, type Tokens } from 'marked'
import { Html, html, type Part } from '../html.ts'
import { linkAddress } from './files.ts'

/** Raw HTML is shown as text, and so are links without a target here. */
export function renderMarkdown(file: string, source: string) {
  let title = file
  const sections: { id: string; text: string }[] = []
  const idOf = anchors()
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const id = idOf(text)
        const plain = text.replaceAll('`', '')
        if (depth === 1) title = plain
        if (depth === 2) sections.push({ id, text: plain })
        return html`<h${depth} id="${id}">${new Html(this.parser.parseInline(tokens))}</h${depth}>\n`.text
      },
      html: ({ text }) => (COMMENT.test(text) ? '' : html`${text}`.text),
      code: ({ text }) => html`<pre tabindex="0"><code>${text}</code></pre>\n`.text,
      codespan: ({ text }) => html`<code>${text}</code>`.text,
      link({ href, tokens }) {
        const content = new Html(this.parser.parseInline(tokens))
        const address = linkAddress(file, href)
        return (address === undefined ? content : html`<a href="${address}">${content}</a>`).text
      },
      image({ href, text }) {
        const address = linkAddress(file, href)
        return (address === undefined ? html`${text}` : html`<img src="${address}" alt="${text}" loading="lazy">`).text
      },
      table({ header, rows }) {
        const cells = (row: Tokens.TableCell[]) => row.map(({ tokens }) => new Html(this.parser.parseInline(tokens)))
        return scrollingTable(cells(header), rows.map(cells)).text
      },
    },
  })
  const body = new Html(marked.parse(source, { async: false }))
  return { title, body, sections }
}

export const renderInline = (text: string, code = (part: string): Html => html`<code>${part}</code>`): Html =>
  html`${text.split('`').map((part, index) => (index % 2 === 1 ? code(part) : part))}`

/** A wide table scrolls by itself, also by keyboard. */
export const scrollingTable = (columns: readonly Part[], rows: readonly (readonly Part[])[]): Html =>
  html`<div class="scroll" tabindex="0" role="group" aria-label="Table"><table><thead><tr>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead><tbody>${rows.map(
    (cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`,
  )}</tbody></table></div>`

const COMMENT = /^<!--(?:(?!-->).)*-->\s*$/s

/** Names the headings of one file as GitHub does. */
export function anchors(): (heading: string) => string {
  const counts = new Map<string, number>()
  return (heading) => {
    const lower = heading.toLowerCase()
    const id = lower.replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')
    const before = counts.get(id) ?? 0
    counts.set(id, before + 1)
    return before === 0 ? id : `${id}-${before}`
  }
}
