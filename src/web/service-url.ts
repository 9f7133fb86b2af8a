import { redactTokens } from '../lib/redact.ts'

interface Reached {
  request: { header(name: 'host'): string | undefined }
  config: { publicUrl: string }
}

/** Where clients reach the service: as it is configured, or as this browser reached it. */
export function serviceUrlOf({ request, config }: Reached): string {
  if (config.publicUrl !== '') return config.publicUrl
  const host = request.header('host') ?? ''
  // Its own person's browser sent it; still, only what can be a host goes into a snippet.
  return `http://${/^[\w.:[\]-]{1,255}$/.test(host) && redactTokens(host) === host ? host : 'localhost'}`
}
