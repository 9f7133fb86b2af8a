import type { PrivateApp } from '../operation.ts'
import type { SettingsOptions } from './context.ts'

/**
 * The settings pages, loaded with the first request for them: a server that only scripts and agents use starts sooner
 * and stays smaller without.
 */
export function createLazyApp(options: SettingsOptions): PrivateApp {
  let app: Promise<PrivateApp['respond']> | undefined
  const load = async () => (await import('./app.ts')).createSettingsApp(options)
  return {
    paths: ['/settings', '/settings/', '/api/'],
    async respond(request) {
      // If loading fails, the next request tries again.
      app ??= load().catch((error) => {
        app = undefined
        throw error
      })
      return (await app)(request)
    },
  }
}
