import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assets } from '../../../src/web/assets.ts'

const css = assets['settings.css'].bytes.toString()

const TEXTS = ['text', 'soft', 'accent', 'good', 'warn', 'bad']
const BACKGROUNDS = ['page', 'side', 'panel', 'sunk', 'tint', 'good-tint', 'warn-tint', 'bad-tint']
/** Of buttons, under white text. */
const FILLS = ['fill', 'fill-hover', 'bad-fill', 'bad-fill-hover']

/** WCAG 2.2, 1.4.3, for text of usual size. */
const LEAST_CONTRAST = 4.5

const schemes = { light: /\}:root\{([^}]*)\}/, dark: /prefers-color-scheme:dark\)\{:root\{([^}]*)\}/ }

for (const [scheme, rule] of Object.entries(schemes))
  test(`every text colour is readable on every background, in ${scheme} colours`, () => {
    const declared = rule.exec(css)?.[1] ?? ''
    const colours = new Map([...declared.matchAll(/--([a-z-]+):(#[0-9a-f]{6})/g)].map(([, name, hex]) => [name, hex]))
    const colourOf = (name: string) => colours.get(name) ?? assert.fail(`no colour ${name}`)
    const pairs = [
      ...TEXTS.flatMap((text) => BACKGROUNDS.map((background) => [text, background] as const)),
      ...FILLS.map((fill) => ['white', fill] as const),
    ]
    const hard = pairs.filter(([text, background]) => {
      const hex = text === 'white' ? '#ffffff' : colourOf(text)
      return contrast(hex, colourOf(background)) < LEAST_CONTRAST
    })
    assert.deepEqual(hard, [])
  })

test('text and backgrounds have no other colours', () => {
  const valuesOf = (property: string) =>
    new Set([...css.matchAll(new RegExp(`[{;]${property}:([^;}]+)`, 'g'))].map(([, value = '']) => value))
  const named = (names: readonly string[]) => names.map((name) => `var(--${name})`)
  const texts = [...named(TEXTS), '#fff', 'inherit']
  assert.deepEqual([...valuesOf('color').difference(new Set(texts))], [])
  // Nothing is written on dots, meters and edges.
  const plain = [...named(['edge', 'line-strong', 'bar', 'bar-none']), 'CanvasText', 'currentcolor', 'none']
  const expected = new Set([...named([...BACKGROUNDS, ...FILLS]), ...plain])
  const others = [...valuesOf('background').difference(expected)].map((value) => value.split('(')[0])
  assert.deepEqual([...new Set(others)].sort(), ['linear-gradient'])
})

function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(hex: string): number {
  const linear = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * linear(1) + 0.7152 * linear(3) + 0.0722 * linear(5)
}
