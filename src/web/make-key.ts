import { Keys } from '../keys/life-cycle.ts'
import type { Answer } from '../operation.ts'
import { resources } from '../resources/index.ts'
import { htmlAnswer } from './answers.ts'
import { asManager, type Desk, mayManage, onlyManagers, readOwnForm } from './desk.ts'
import { readMakeForm } from './make-form.ts'
import { alreadyShown, onceOf, onlyOnce, rememberForm } from './once.ts'
import { madePage } from './pages/made.ts'
import { makePage } from './pages/make.ts'
import { type MakeModel, type MakeValues, newKeyValues } from './pages/model.ts'
import { makeSecret } from './secret.ts'
import { serviceUrlOf } from './service-url.ts'

export async function offerToMakeKey(desk: Desk): Promise<Answer> {
  if (!mayManage(desk.workspace)) throw onlyManagers()
  return makeForm(desk, 200, newKeyValues, {})
}

function makeForm(desk: Desk, status: number, values: MakeValues, errors: MakeModel['errors'], once = makeSecret()) {
  const permissions = resources.map(({ permission, summary }) => ({ name: permission, meaning: summary }))
  const { chrome, parts } = desk
  return htmlAnswer(status, makePage({ chrome, permissions, values, errors, defaultQuota: parts.config.quota, once }))
}

/** The answer itself holds the key. It is nowhere else, so neither a reload nor the way back can show it again. */
export async function makeKey(desk: Desk): Promise<Answer> {
  if (!mayManage(desk.workspace)) throw onlyManagers()
  const form = await readOwnForm(desk)
  const once = onceOf(form)
  const { values, errors, wanted } = readMakeForm(form, desk.nowMs)
  if (wanted === undefined) return makeForm(desk, 422, values, errors, once)
  const store = asManager(desk, rememberForm(desk, once))
  const keys = new Keys(store, desk.visit.email, desk.parts.clock)
  const made = await onlyOnce(desk, once, () => keys.create(desk.workspace.slug, wanted))
  if ('before' in made) return alreadyShown(desk, made.before)
  const { token, key } = made
  const serviceUrl = serviceUrlOf(desk)
  return htmlAnswer(200, madePage({ chrome: desk.chrome, token, key, serviceUrl, firstUse: null, replaced: null }))
}
