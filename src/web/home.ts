import type { Answer, PrivateRequest } from '../operation.ts'
import { redirect } from './answers.ts'
import { whoIsThere } from './desk.ts'
import type { SettingsParts } from './parts.ts'
import { paths } from './paths.ts'

/** To the keys of the first workspace, or to the sign-in. */
export async function goHome(request: PrivateRequest, parts: SettingsParts): Promise<Answer> {
  const visit = await whoIsThere(request, parts)
  const first = visit?.memberships[0]
  return redirect(first === undefined ? paths.signIn : paths.keys(first.slug))
}
