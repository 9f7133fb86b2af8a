import { Keys } from '../keys/life-cycle.ts'
import type { Answer } from '../operation.ts'
import { htmlAnswer } from './answers.ts'
import { asManager, type Desk, mayManage, onlyManagers, readOwnForm } from './desk.ts'
import { alreadyShown, onceOf, onlyOnce, rememberForm } from './once.ts'
import { PageError } from './page-error.ts'
import { madePage } from './pages/made.ts'
import { type OverlapChoice, overlapChoices } from './pages/model.ts'
import { rotatePage } from './pages/rotate.ts'
import { unlessEnded, workingKey } from './revoke-key.ts'
import { makeSecret } from './secret.ts'
import { snippetFactsOf } from './service-url.ts'

const HOUR_MS = 3_600_000
const overlapMs: Record<OverlapChoice, number> = {
  '0': 0,
  '1h': HOUR_MS,
  '24h': 24 * HOUR_MS,
  '7d': 7 * 24 * HOUR_MS,
  '30d': 30 * 24 * HOUR_MS,
}

export async function offerToRotateKey(desk: Desk): Promise<Answer> {
  const key = await workingKey(desk)
  return htmlAnswer(200, rotatePage({ chrome: desk.chrome, key, overlap: '24h', once: makeSecret() }))
}

export async function rotateKey(desk: Desk): Promise<Answer> {
  if (!mayManage(desk.workspace)) throw onlyManagers()
  const form = await readOwnForm(desk)
  const once = onceOf(form)
  const overlap = overlapChoices.find((choice) => choice === form.get('overlap'))
  if (overlap === undefined) throw new PageError(400, 'This form is not whole', 'Say how long the old key shall work.')
  const keys = new Keys(asManager(desk, rememberForm(desk, once)), desk.visit.email, desk.parts.clock)
  const made = await onlyOnce(desk, once, () => unlessEnded(() => keys.rotate(desk.id, overlapMs[overlap])))
  if ('before' in made) return alreadyShown(desk, made.before)
  const { token, key, replaced: old } = made
  const replaced = { label: old.label, worksUntil: old.revokedAt === null ? old.expiresAt : null }
  const facts = snippetFactsOf(desk, key)
  return htmlAnswer(200, madePage({ chrome: desk.chrome, token, key, ...facts, firstUse: null, replaced }))
}
