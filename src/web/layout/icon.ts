import { Html } from '../html.ts'

/** Paths on a 16 by 16 grid. */
const lines = {
  key: 'M8 11a3 3 0 1 1-6 0 3 3 0 0 1 6 0ZM7.1 8.9 13.5 2.5M10.8 5.2l2 2',
  log: 'M3 4h.01M3 8h.01M3 12h.01M6 4h7.5M6 8h7.5M6 12h5',
  chain:
    'M7 9a2.5 2.5 0 0 0 3.5 0l2-2A2.5 2.5 0 0 0 9 3.5l-.8.8M9 7a2.5 2.5 0 0 0-3.5 0l-2 2A2.5 2.5 0 0 0 7 12.5l.8-.8',
  bell: 'M4 11V7a4 4 0 0 1 8 0v4l1.5 1.5h-11ZM6.5 14.5h3M8 3V1.5',
  people:
    'M8.5 5.25a2.75 2.75 0 1 1-5.5 0 2.75 2.75 0 0 1 5.5 0ZM1.25 13.5a4.5 4.5 0 0 1 9 0M11 2.7a2.75 2.75 0 0 1 0 5.1M12.5 9.6a4.5 4.5 0 0 1 2.25 3.9',
  person: 'M10.75 5.25a2.75 2.75 0 1 1-5.5 0 2.75 2.75 0 0 1 5.5 0ZM3.5 13.5a4.5 4.5 0 0 1 9 0',
  sliders: 'M2 5h6M12 5h2M2 11h2M8 11h6M10 3v4M6 9v4',
  book: 'M8 4C6.5 2.8 4.5 2.5 2 2.5v10c2.5 0 4.5.3 6 1.5 1.5-1.2 3.5-1.5 6-1.5v-10c-2.5 0-4.5.3-6 1.5ZM8 4v10',
  leave: 'M6 2.5H3v11h3M10 5l3 3-3 3M13 8H6.5',
  plus: 'M8 3v10M3 8h10',
  search: 'M11 7a4 4 0 1 1-8 0 4 4 0 0 1 8 0ZM10 10l3.5 3.5',
  rotate: 'M13 8a5 5 0 1 1-1.46-3.54L13 5.7M13 2.5v3.2H9.8',
  ban: 'M13.5 8a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0ZM4.1 4.1l7.8 7.8',
  pause: 'M6 3.5v9M10 3.5v9',
  play: 'M5 3.2 12.5 8 5 12.8Z',
  edit: 'M3 13l.7-3L10.8 2.9l2.3 2.3L6 12.3Z',
  check: 'M3 8.5 6.5 12 13 4.5',
  warning: 'M8 2 14.5 13.5h-13ZM8 6.5v3M8 11.5h.01',
  info: 'M13.5 8a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0ZM8 7.5V11M8 5h.01',
  clock: 'M13.5 8a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0ZM8 5v3l2 1.5',
  chart: 'M3 13V8M8 13V3M13 13V9',
  terminal: 'M2.5 4l4 4-4 4M8 12.5h5.5',
  agent: 'M3.5 6h9v6.5h-9zM8 6V3M6.3 9h.01M9.7 9h.01',
  left: 'M10 4 6 8l4 4',
} as const

export type IconName = keyof typeof lines

/** Icons appear next to text, so screen readers skip them. */
export const icon = (name: IconName): Html =>
  new Html(`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d="${lines[name]}"/></svg>`)
