import { readFileSync } from 'node:fs'
import { ServedFile } from '../lib/served-file.ts'
import { paths } from './paths.ts'

/** The URL contains the content's hash, so the file may be cached forever. */
export class Asset extends ServedFile {
  readonly path: string

  constructor(name: string, type: string, content: string | Buffer) {
    super(type, content)
    this.path = paths.asset(this.hash, name)
  }
}

/** In cascade order. */
const STYLES =
  'base menus frame panels buttons fields parts tables keys find audit workspace created agent forms sign-in members notices narrow cards key requests overview'.split(
    ' ',
  )

const SITE_STYLES = ['base', 'buttons', 'docs', 'guides']

const bytes = (name: string) => readFileSync(new URL(`assets/${name}`, import.meta.url))
const read = (name: string) => bytes(name).toString()
const font = (name: string) => new Asset(name, 'font/woff2', bytes(`fonts/${name}`))

/** Browsers load the second file only for a page with letters such as ł or ő. */
const fonts = {
  'instrument-sans.woff2': font('instrument-sans.woff2'),
  'instrument-sans-ext.woff2': font('instrument-sans-ext.woff2'),
}
const EXTENDED =
  'U+0100-0130,U+0132-0151,U+0154-02BA,U+02BD-02C5,U+02C7-02CC,U+1E00-1E9F,U+1EF2-1EFF,U+20A0-20AB,U+20AD-20C0'
const fontFace = ({ path }: Asset, range: string) =>
  `@font-face{font-family:Instrument Sans;src:url(${path}) format("woff2");font-weight:400 700;font-display:swap;unicode-range:${range}}`
const FONT_FACES =
  fontFace(
    fonts['instrument-sans.woff2'],
    'U+0-FF,U+131,U+152-153,U+2BB-2BC,U+2000-206F,U+20AC,U+2122,U+2191,U+2193,U+2212',
  ) + fontFace(fonts['instrument-sans-ext.woff2'], EXTENDED)

export const assets = {
  ...fonts,
  'settings.css': stylesheet('settings.css', STYLES),
  'docs.css': stylesheet('docs.css', SITE_STYLES),
  'settings.js': new Asset('settings.js', 'text/javascript; charset=utf-8', script()),
  'icon.svg': new Asset('icon.svg', 'image/svg+xml', read('icon.svg')),
} satisfies Record<string, Asset>

const byPath = new Map<string, Asset>(Object.values(assets).map((one) => [one.path, one]))

export const assetAt = (path: string): Asset | undefined => byPath.get(path)

function stylesheet(name: string, styles: readonly string[]): Asset {
  const css = FONT_FACES + minify(styles.map((style) => read(`css/${style}.css`)))
  return new Asset(name, 'text/css; charset=utf-8', css)
}

/** Without lines that are only comments, and without indentation. */
function script(): string {
  return read('settings.js').replace(/^ *(\/\/.*\n)?/gm, '')
}

function minify(styles: readonly string[]): string {
  return styles
    .join('')
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\s*\n\s*/g, '')
    .replace(/ ?([{:,]) /g, (_, mark) => mark)
    .replaceAll(' {', '{')
    .replaceAll(';}', '}')
}
