import { paths } from '../paths.ts'
import { radios } from './field.ts'
import { html, quoted } from './html.ts'
import { keyFacts } from './key-facts.ts'
import { csrfField, heading, page } from './layout.ts'
import type { OverlapChoice, RotateModel } from './model.ts'

const overlapWords: Record<OverlapChoice, string> = {
  '0': 'Ends at once',
  '1h': '1 hour',
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
}

export function rotatePage({ chrome, key, overlap, once }: RotateModel): string {
  const { slug } = chrome.workspace
  const keys = paths.keys(slug)
  const choices = Object.entries(overlapWords).map(([value, text]) => ({ value, text }))
  const body = html`${heading({ title: html`Rotate ${quoted(key.label)}`, lead: 'You get a new key with the same permissions, limit and lifetime. The old one works on for a while, so that nothing stops while you change over.', back: { href: keys, text: 'API keys' } })}
<form class="form panel" method="post" action="${paths.rotate(slug, key.id)}">${csrfField(chrome)}<input type="hidden" name="once" value="${once}">
${keyFacts(key, chrome.now)}
<fieldset class="field"><legend>How long the old key works on</legend>${radios('overlap', choices, overlap)}
<p class="hint">Never longer than it would have without this. If the key has leaked, end it at once.</p></fieldset>
<div class="buttons"><button class="button primary">Rotate key</button><a class="button" href="${keys}">Cancel</a></div></form>`
  return page(chrome, { title: `Rotate ${key.label}`, section: 'keys', body })
}
