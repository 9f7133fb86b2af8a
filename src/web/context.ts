import { ChainWatch } from '../audit/chain-watch.ts'
import type { Config } from '../config.ts'
import type { OperatorStore, Transaction } from '../database/store.ts'
import type { Windows } from '../database/windows.ts'
import { isKeyId } from '../keys/life-cycle.ts'
import { IdentityProvider } from '../members/identity-provider.ts'
import type { Membership } from '../members/records.ts'
import { isManager } from '../members/roles.ts'
import { findActiveSession, type Session, touch } from '../members/sessions.ts'
import type { HttpResponse, PrivateRequest, PublicApi } from '../operation.ts'
import type { Resource } from '../resources/define.ts'
import { Cookies } from './cookies.ts'
import { csrfTokenOf } from './form.ts'
import type { PageFrame } from './layout/page.ts'
import { LongReads } from './long-reads.ts'
import { paths, slugIn } from './paths.ts'
import { PageError, pageNotFound } from './responses.ts'
import { Attempts } from './sign-in/attempts.ts'
import { draftOf } from './sign-in/return.ts'

export interface SettingsOptions {
  config: Pick<Config, 'publicUrl' | 'quota' | 'oidc'>
  store: OperatorStore
  /** What keys can be permitted to read. */
  resources: readonly Resource[]
  /** Where sign-in attempts are counted, if not in this thread alone. */
  windows: Windows | undefined
  /** Instead of the time of the store. */
  clock: (() => number) | undefined
  /** What keys are used for. */
  publicApi: PublicApi
}

/** A request, and what the pages need to respond to it. */
export interface RequestContext extends Pick<SettingsOptions, 'config' | 'resources' | 'clock' | 'publicApi'> {
  request: PrivateRequest
  store: Pick<OperatorStore, 'transaction' | 'read' | 'findSession'>
  cookies: Cookies
  attempts: Attempts
  chains: ChainWatch
  /** Before an export or the like: refuses it while too many are running. */
  takePlace(): void
  /** Undefined without OpenID Connect. */
  provider: IdentityProvider | undefined
  /** The slug in the path of a page for members; undefined if there is no such page. */
  pageAt(path: string): string | undefined
}

/** A signed-in person's request about one of their workspaces. */
export interface WorkspaceContext extends RequestContext {
  session: Session
  workspace: Membership
  frame: PageFrame
  /** The key that the path names; empty if it names none. */
  keyId: string
  /** The same for a member. */
  memberId: string
  nowMs: number
}

export type Handler = (context: RequestContext) => Promise<HttpResponse>
/** Of a POST, `form` is what was sent, with its CSRF token checked. */
export type WorkspaceHandler = (context: WorkspaceContext, form: URLSearchParams) => Promise<HttpResponse>

export function createContext(
  { config, store, resources, windows, clock, publicApi }: SettingsOptions,
  pageAt: RequestContext['pageAt'],
) {
  const longReads = new LongReads()
  const shared = {
    pageAt,
    config,
    resources,
    clock,
    publicApi,
    cookies: new Cookies(config.publicUrl.startsWith('https:')),
    attempts: new Attempts(clock ?? Date.now, windows),
    chains: new ChainWatch(),
    provider: config.oidc && new IdentityProvider(config.oidc, config.publicUrl + paths.signInOidcCallback),
  }
  return (request: PrivateRequest): RequestContext => {
    const reads = longReads.start(slugIn(request.path) ?? '', (done) => request.whenAnswered(done))
    return {
      ...shared,
      request,
      takePlace: reads.takePlace,
      // Nothing is read for a client that left while it waited. What it asked to change is changed all the same.
      store: {
        transaction: (work) => store.transaction(work),
        read: async (work) => {
          await reads.next()
          return store.read(work, () => request.isGone)
        },
        findSession: (hash) => store.findSession(hash),
      },
    }
  }
}

/** The time that sessions, links and keys are judged by. It is the store's: the clocks of replicas differ. */
export const nowOf = ({ clock }: Pick<RequestContext, 'clock'>, tx: Pick<Transaction, 'nowMs'>): number =>
  clock?.() ?? tx.nowMs

/** The same, as it is written. */
export const instantOf = (context: Pick<RequestContext, 'clock'>, tx: Pick<Transaction, 'nowMs'>): string =>
  new Date(nowOf(context, tx)).toISOString()

/** For what brings its own transaction: it then takes part in this one. */
export const within = (tx: Transaction): Pick<OperatorStore, 'transaction'> => ({ transaction: (work) => work(tx) })

/** A session, and the token that its forms send back. */
export type BrowserSession = Session & { csrf: string }

export async function findSession(context: RequestContext): Promise<BrowserSession | undefined> {
  const { request, cookies, store } = context
  const secret = cookies.read(request.header('cookie'), 'session')
  const session = await findActiveSession(context, secret)
  if (session === undefined || secret === undefined) return undefined
  // If recording fails, the next request tries again.
  if (session.isStale) await store.transaction((tx) => touch(tx, session)).catch((error) => request.report(error))
  return { ...session, csrf: csrfTokenOf(secret) }
}

/** Refuses anyone who is not a member of the workspace that the path names. */
export function authorize(
  context: RequestContext,
  session: BrowserSession,
  { slug, keyId = '', memberId = '' }: { slug: string; keyId?: string | undefined; memberId?: string | undefined },
): WorkspaceContext {
  const workspace = session.memberships.find((membership) => membership.slug === slug)
  if (workspace === undefined || (keyId !== '' && !isKeyId(keyId))) throw pageNotFound()
  const { nowMs, email, csrf, memberships } = session
  const frame = {
    workspace: { name: workspace.name, slug },
    workspaces: memberships.map(({ name, slug, role, archivedAt }) => ({
      name: archivedAt === null ? name : `${name} (archived)`,
      slug,
      role,
    })),
    email,
    role: workspace.role,
    csrf,
    now: new Date(nowMs).toISOString(),
    timezone: workspace.timezone ?? 'UTC',
    hasDraft: draftOf(context) !== undefined,
  }
  return { ...context, session, workspace, frame, keyId, memberId, nowMs }
}

/** The least that a person must be in a workspace. A manager is an owner or an admin. */
export type LeastRole = 'member' | 'manager' | 'owner'

/** Refuses anyone whose role does not suffice, and managers while the workspace is archived. */
export function requireRole<M extends Pick<Membership, 'role' | 'archivedAt'>>(
  membership: M | undefined,
  role: LeastRole,
): asserts membership is M {
  if (role === 'owner' && membership?.role !== 'owner')
    throw new PageError(403, 'Only owners can do this', 'The workspace’s page lists whom to ask.')
  if (membership === undefined || (role === 'manager' && !isManager(membership)))
    throw new PageError(403, 'Only owners and admins can do this', 'The page of API keys lists whom to ask.')
  if (role === 'manager' && membership.archivedAt !== null)
    throw new PageError(403, 'This workspace is archived', 'Nothing in it can be changed until an owner restores it.')
}
