import { networkOf } from '../lib/network.ts'

/** The more particular come first: Edge says that it is Chrome, and Chrome that it is Safari. */
const browsers: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/(Firefox|FxiOS)\//, 'Firefox'],
  [/(Chrome|CriOS)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]

const systems: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/Android/, 'Android'],
  [/iPhone|iPad|iPod/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
]

const nameIn = (names: typeof browsers, agent: string): string | undefined =>
  names.find(([pattern]) => pattern.test(agent))?.[1]

/** Such as `Firefox on Linux, 203.0.113.0/24`: enough for a person to recognise their own. */
export function deviceOf({
  agent = '',
  address,
}: {
  agent?: string | undefined
  address?: string | undefined
}): string {
  const [browser = 'Unknown browser', system] = [nameIn(browsers, agent), nameIn(systems, agent)]
  const network = address === undefined ? [] : [networkOf(address).replace(/\.\d+$/, '.0/24')]
  return [system === undefined ? browser : `${browser} on ${system}`, ...network].join(', ')
}
