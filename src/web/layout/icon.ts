import { Html } from '../html.ts'
import lines from './icons.json' with { type: 'json' }

export type IconName = keyof typeof lines

/** Paths on a 16 by 16 grid. Icons appear next to text, so screen readers skip them. */
export const icon = (name: IconName): Html =>
  new Html(`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d="${lines[name]}"/></svg>`)
