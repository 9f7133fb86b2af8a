import { redactTokens } from '../lib/redact.ts'
import type { Desk } from './desk.ts'

/** What the snippets on the page of a new key say. */
export const snippetFactsOf = (desk: Desk, { permissions }: { permissions: readonly string[] }) => ({
  serviceUrl: serviceUrlOf(desk),
  // The last one listed is the most telling example: the workspace, which every key may read, is the first.
  examplePath: desk.parts.resources.findLast(({ permission }) => permissions.includes(permission))?.path ?? '/',
})

/** Where clients reach the service: as it is set, or as this browser reached it. */
function serviceUrlOf({ request, parts }: Desk): string {
  if (parts.config.publicUrl !== '') return parts.config.publicUrl
  const host = request.header('host') ?? ''
  // Its own person's browser sent it; still, only what can be a host goes into a snippet.
  return `http://${/^[\w.:[\]-]{1,255}$/.test(host) && redactTokens(host) === host ? host : 'localhost'}`
}
