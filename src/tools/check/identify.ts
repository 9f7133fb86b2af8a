import { isObject } from '../../lib/checker.ts'
import { ConnectionError } from '../../lib/connection-failures.ts'
import { UserError } from '../../lib/user-error.ts'
import type { Client } from './client.ts'
import { summary } from './expect.ts'
import type { HttpResponse } from './response.ts'
import { shown } from './shown.ts'

/** Throws one clear line if nobody answers there, or somebody else: no check would say more. */
export async function identify(client: Client): Promise<void> {
  const { origin } = client.target.url
  const [path = '/'] = client.contract.pathsWith('GET')
  try {
    const first = await client.read(path)
    if (isRedirect(first))
      throw new UserError(
        `${origin} redirects to ${shown(first.headers.location ?? 'nowhere')} (${first.status}); check that URL instead: ` +
          'redirected requests lose their key or their body',
      )
    if (isVitrine(first)) return
    for (const other of [path, '/openapi.json', ...client.contract.pathsWith('GET').slice(1)])
      if (isVitrine(await client.remembered({ method: 'GET', path: other }))) return
    throw new UserError(`${origin} does not answer as Vitrine: GET ${path} got ${summary(first)}; check the URL`)
  } catch (error) {
    if (error instanceof ConnectionError) throw new UserError(`${origin}: ${error.message}`, { cause: error })
    throw error
  }
}

const isRedirect = ({ status }: HttpResponse) => status >= 300 && status < 400 && status !== 304

/** A problem with a code, a document with its title, or a resource: each is enough, since a proxy may break the others. */
function isVitrine({ status, json, request, headers }: HttpResponse): boolean {
  if (/realm="vitrine"/.test(headers['www-authenticate'] ?? '')) return true
  if (!isObject(json)) return false
  if (isObject(json.info)) return json.info.title === 'Vitrine'
  if (status >= 400) return typeof json.code === 'string' && typeof json.hint === 'string'
  return Object.hasOwn(json, request.path.slice(1))
}
