import type { OperatorStore, Transaction } from '../database/store.ts'
import { isKeyId } from '../keys/life-cycle.ts'
import { findKey } from '../keys/records.ts'
import { type Membership, membershipsOf } from '../members/records.ts'
import { findSession, touchSession } from '../members/sign-in-records.ts'
import type { Answer, PrivateRequest } from '../operation.ts'
import { readForm } from './form.ts'
import { notThere, PageError } from './page-error.ts'
import type { Chrome } from './pages/model.ts'
import type { SettingsParts } from './parts.ts'
import { isFromOwnPage } from './same-origin.ts'
import { isSame } from './secret.ts'
import { findVisit, type Visit } from './sessions.ts'

/** A signed-in person's request about one of their workspaces. */
export interface Desk {
  request: PrivateRequest
  parts: SettingsParts
  visit: Visit
  workspace: Membership
  chrome: Chrome
  /** What the path names besides the workspace: a key's id. */
  id: string
  nowMs: number
}

export type DeskHandler = (desk: Desk) => Promise<Answer>

/** Whoever the request's cookie says it is. */
export async function whoIsThere(request: PrivateRequest, parts: SettingsParts): Promise<Visit | undefined> {
  const secret = parts.cookies.read(request.header('cookie'), 'session')
  const visit = await findVisit(parts, secret)
  if (visit?.isStale) await touch(visit, request, parts)
  return visit
}

/** If it cannot be written down now, the next request tries again. */
async function touch({ hash, nowMs }: Visit, request: PrivateRequest, { store }: SettingsParts) {
  try {
    await store.transaction((tx) => touchSession(tx, hash, new Date(nowMs).toISOString()))
  } catch (error) {
    request.report(error)
  }
}

export function openDesk(
  request: PrivateRequest,
  parts: SettingsParts,
  visit: Visit,
  { slug, id = '' }: { slug: string; id?: string | undefined },
): Desk {
  const workspace = visit.memberships.find((membership) => membership.slug === slug)
  if (workspace === undefined || (id !== '' && !isKeyId(id))) throw notThere()
  const { nowMs } = visit
  const chrome = {
    workspace: { name: workspace.name, slug },
    workspaces: visit.memberships.map((membership) => ({ name: membership.name, slug: membership.slug })),
    email: visit.email,
    role: workspace.role,
    csrf: visit.csrf,
    now: new Date(nowMs).toISOString(),
  }
  return { request, parts, visit, workspace, chrome, id, nowMs }
}

export const mayManage = ({ role }: { role: Membership['role'] }): boolean => role === 'owner' || role === 'admin'

export const onlyManagers = () =>
  new PageError(403, 'Only owners and admins can do this', 'Ask one of them; the page of API keys says who they are.')

/** Reads a form of ours: refused unless it comes from our own page and carries the session's token. */
export async function readOwnForm({ request, parts, visit }: Pick<Desk, 'request' | 'parts' | 'visit'>) {
  return readGuardedForm(request, parts, visit.csrf)
}

export async function readGuardedForm(
  request: PrivateRequest,
  parts: SettingsParts,
  csrf: string,
): Promise<URLSearchParams> {
  if (!isFromOwnPage(request, parts.config.publicUrl)) throw notFromHere()
  const form = await readForm(request)
  if (!isSame(form.get('csrf') ?? '', csrf)) throw notFromHere()
  return form
}

const notFromHere = () =>
  new PageError(403, 'This form is out of date', 'It was not sent from a page of this session. Go back and try again.')

type Transactional = Pick<OperatorStore, 'transaction'>

/**
 * A store whose every transaction first makes sure, in the same transaction, that the person still may do this: they may
 * have been removed, or signed out elsewhere, since their request began. `afterwards` is in the same transaction too.
 */
export function asManager<Value>(
  { parts, visit, workspace, id }: Desk,
  afterwards: (tx: Transaction, value: Value) => Promise<void> = async () => {},
): Transactional {
  return {
    transaction: (work) =>
      parts.store.transaction(async (tx) => {
        const session = await findSession(tx, visit.hash)
        const memberships = session === undefined ? [] : await membershipsOf(tx, session.email)
        const current = memberships.find(({ workspaceId }) => workspaceId === workspace.workspaceId)
        if (current === undefined || !mayManage(current)) throw onlyManagers()
        if (id !== '' && (await findKey(tx, id))?.workspaceId !== workspace.workspaceId) throw notThere()
        const value = await work(tx)
        await afterwards(tx, value as unknown as Value)
        return value
      }),
  }
}
