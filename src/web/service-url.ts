import { redactTokens } from '../lib/redact.ts'
import type { Desk } from './desk.ts'

/** Where clients reach the service: as it is set, or as this browser reached it. */
export function serviceUrlOf({ request, parts }: Desk): string {
  if (parts.config.publicUrl !== '') return parts.config.publicUrl
  const host = request.header('host') ?? ''
  // Its own person's browser sent it; still, only what can be a host goes into a snippet.
  return `http://${/^[\w.:[\]-]{1,255}$/.test(host) && redactTokens(host) === host ? host : 'localhost'}`
}
