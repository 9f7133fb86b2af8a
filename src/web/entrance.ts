import type { PrivateFace } from '../operation.ts'
import type { Given } from './face.ts'
import { paths } from './paths.ts'

/**
 * Where people come in. What lies behind it is loaded when the first of them comes: a server that is asked by scripts
 * and agents alone starts sooner and stays smaller without.
 */
export function makeEntrance(given: Given): PrivateFace {
  let face: Promise<PrivateFace['answer']> | undefined
  const load = async () => (await import('./face.ts')).makeSettings(given)
  return {
    matches: (path) => path === paths.home || path.startsWith('/settings/') || path.startsWith('/api/'),
    async answer(request) {
      // What could not be loaded once may be there the next time.
      face ??= load().catch((error) => {
        face = undefined
        throw error
      })
      return (await face)(request)
    },
  }
}
