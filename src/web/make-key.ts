import { Keys } from '../keys/life-cycle.ts'
import type { Answer } from '../operation.ts'
import { permissionsOf } from '../resources/index.ts'
import { htmlAnswer } from './answers.ts'
import { asManager, type Desk, mayManage, onlyManagers, readOwnForm } from './desk.ts'
import { readMakeForm } from './make-form.ts'
import { alreadyShown, onceOf, onlyOnce, rememberForm } from './once.ts'
import { madePage } from './pages/made.ts'
import { makePage } from './pages/make.ts'
import { type MakeModel, type MakeValues, newKeyValues } from './pages/model.ts'
import { makeSecret } from './secret.ts'
import { snippetFactsOf } from './service-url.ts'

export async function offerToMakeKey(desk: Desk): Promise<Answer> {
  if (!mayManage(desk.workspace)) throw onlyManagers()
  const permissions = permissionsOf(desk.parts.resources)
  return makeForm(desk, 200, { ...newKeyValues, permissions }, {})
}

function makeForm(desk: Desk, status: number, values: MakeValues, errors: MakeModel['errors'], once = makeSecret()) {
  const { chrome, parts } = desk
  const permissions = permissionsOf(parts.resources).map((name) => ({
    name,
    meaning: parts.resources
      .filter(({ permission }) => permission === name)
      .map(({ summary }) => summary)
      .join('; '),
  }))
  return htmlAnswer(status, makePage({ chrome, permissions, values, errors, defaultQuota: parts.config.quota, once }))
}

/** The answer itself holds the key. It is nowhere else, so neither a reload nor the way back can show it again. */
export async function makeKey(desk: Desk): Promise<Answer> {
  if (!mayManage(desk.workspace)) throw onlyManagers()
  const form = await readOwnForm(desk)
  const once = onceOf(form)
  const { values, errors, wanted } = readMakeForm(form, desk.parts.resources, desk.nowMs)
  if (wanted === undefined) return makeForm(desk, 422, values, errors, once)
  const store = asManager(desk, rememberForm(desk, once))
  const keys = new Keys(store, desk.visit.email, desk.parts.clock)
  const made = await onlyOnce(desk, once, () => keys.create(desk.workspace.slug, wanted))
  if ('before' in made) return alreadyShown(desk, made.before)
  const { token, key } = made
  const facts = snippetFactsOf(desk, key)
  return htmlAnswer(200, madePage({ chrome: desk.chrome, token, key, ...facts, firstUse: null, replaced: null }))
}
