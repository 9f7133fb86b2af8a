import { redactTokens } from '../lib/redact.ts'

interface Reached {
  request: { header(name: 'host' | 'origin'): string | undefined }
  config: { publicUrl: string }
}

/** Where clients and browsers reach the service: as it is configured, or as this browser reached it. */
export function serviceUrlOf({ request, config }: Reached): string {
  if (config.publicUrl !== '') return config.publicUrl
  const host = request.header('host') ?? ''
  // Its own person's browser sent it; still, only what can be a host goes into a snippet.
  if (!/^[\w.:[\]-]{1,255}$/.test(host) || redactTokens(host) !== host) return 'http://localhost'
  // Behind a proxy that speaks TLS, only the browser knows of it, and says so with a form.
  return request.header('origin') === `https://${host}` ? `https://${host}` : `http://${host}`
}
