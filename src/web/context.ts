import type { AgentPreview } from '../api/agent-preview.ts'
import type { HttpResponse, PrivateRequest } from '../api/http-message.ts'
import type { Config } from '../config.ts'
import { ClientRegistry } from '../connections/client-document.ts'
import type { ConnectionOutcome, ConnectionStep } from '../connections/oauth-error.ts'
import type { OperatorStore, PublicStore, Transaction } from '../database/store.ts'
import type { List } from '../lists/definition.ts'
import type { ListReader } from '../lists/reader.ts'
import { createIdentityProvider, type IdentityProvider } from '../members/identity-provider.ts'
import type { Membership } from '../members/records.ts'
import { isManager } from '../members/roles.ts'
import { currentMembership, findActiveSession, type Session, touch } from '../members/sessions.ts'
import { createMailer, type SendMail } from '../notices/mail.ts'
import type { Resource } from '../resources/define.ts'
import { type Cookies, createCookies } from './cookies.ts'
import { flashOf } from './flash.ts'
import { csrfTokenOf } from './form.ts'
import { DRAFT, type PageFrame, sectionIn } from './layout/page.ts'
import { LongReads } from './long-reads.ts'
import { PagesInProgress } from './pages-in-progress.ts'
import { paths, slugIn } from './paths.ts'
import { draftIn } from './remember-page.ts'
import { createRequestLimits, type RequestLimits } from './request-limits.ts'
import { PageError, pageNotFound } from './responses.ts'

export interface SettingsOptions {
  /** `connect` is undefined while programs cannot be connected by signing in. */
  config: Pick<Config, 'publicUrl' | 'quota' | 'oidc' | 'connect' | 'mail' | 'passkeys' | 'webhookPrivate'>
  store: OperatorStore
  resources: readonly Resource[]
  /** For limits on requests. */
  clock: () => number
  /** Without it, metadata documents are fetched from the internet. */
  clients: ClientRegistry | undefined
  agentPreview: AgentPreview
  quotaInUse: PublicStore['quotaInUse']
  readerOf(list: List): ListReader
  observeConnection(requestId: string, step: ConnectionStep, outcome: ConnectionOutcome, keyId?: string): void
}

export interface RequestContext
  extends Pick<SettingsOptions, 'config' | 'resources' | 'agentPreview' | 'quotaInUse' | 'readerOf'> {
  request: PrivateRequest
  store: Pick<OperatorStore, 'transaction' | 'read' | 'findSession'>
  cookies: Cookies
  requestLimits: RequestLimits
  pages: PagesInProgress
  clients: ClientRegistry
  observeConnection(step: ConnectionStep, outcome: ConnectionOutcome, keyId?: string): void
  /** Call this before a long read: it throws while too many are running. */
  acquireSlot(): void
  /** Undefined unless a mail server is configured. */
  mail: SendMail | undefined
  /** Undefined unless OpenID Connect is configured. */
  provider: IdentityProvider | undefined
  /** The workspace slug in a page's path: empty if the page belongs to none, undefined if there is no such page. */
  pageAt(path: string): string | undefined
  /** What the page's form contains, if it was sent without a session, or with errors. */
  draft: URLSearchParams | undefined
  /** It was kept while the person signed in. */
  isSignedInAgain: boolean
}

export interface PersonContext extends RequestContext {
  session: BrowserSession
}

export interface WorkspaceContext extends PersonContext, Pick<Names, 'keyId' | 'memberId'> {
  workspace: Membership
  frame: PageFrame
}

export type RequestHandler = (context: RequestContext) => Promise<HttpResponse>
/** A POST's `form` has a valid CSRF token. */
export type PersonHandler = (context: PersonContext, form: URLSearchParams) => Promise<HttpResponse>
export type WorkspaceHandler = (context: WorkspaceContext, form: URLSearchParams) => Promise<HttpResponse>

export function createContextFactory(
  { config, store, resources, clock, clients, agentPreview, quotaInUse, readerOf, observeConnection }: SettingsOptions,
  pageAt: RequestContext['pageAt'],
) {
  const longReads = new LongReads()
  const shared = {
    pageAt,
    config,
    resources,
    agentPreview,
    quotaInUse,
    readerOf,
    cookies: createCookies(config.publicUrl.startsWith('https:')),
    requestLimits: createRequestLimits(clock),
    pages: new PagesInProgress(),
    clients: clients ?? new ClientRegistry({ clock }),
    mail: config.mail && createMailer(config.mail),
    provider: config.oidc && createIdentityProvider(config.oidc, config.publicUrl + paths.signInOidcCallback),
  }
  return (request: PrivateRequest): RequestContext => {
    const reads = longReads.start(slugIn(request.path) ?? '', (done) => request.onResponseSent(done))
    const draft = draftIn({ ...shared, request })
    return {
      ...shared,
      request,
      draft: draft?.form,
      isSignedInAgain: draft?.isRefused === false,
      observeConnection: (...observed) => observeConnection(request.requestId, ...observed),
      acquireSlot: reads.acquireSlot,
      // By default, reads stop once the client disconnects; writes still complete.
      store: {
        transaction: (work) => store.transaction(work),
        read: async (work, isGone = () => request.isGone) => {
          await reads.next()
          return store.read(work, isGone)
        },
        findSession: (hash) => store.findSession(hash),
      },
    }
  }
}

type BrowserSession = Session & { csrf: string }

/** A script that polls does not keep its session alive: `isPoll`. */
export async function findSession(context: RequestContext, { isPoll = false } = {}) {
  const { request, cookies, store } = context
  const secret = cookies.read(request.header('cookie'), 'session')
  const session = await findActiveSession(store, secret)
  if (session === undefined || secret === undefined) return undefined
  if (session.needsTouch && !isPoll)
    await store.transaction((tx) => touch(tx, session)).catch((error) => request.logFailure(error))
  return { ...session, csrf: csrfTokenOf(secret) }
}

const MAX_RECENT = 8

/** Slugs, the last used first. The cookie may name any workspace, so look them up among the person's own. */
export const recentWorkspaces = ({ request, cookies }: RequestContext): string[] =>
  (cookies.read(request.header('cookie'), 'workspace') ?? '').split('.').slice(0, MAX_RECENT)

/** What a page's path names. The slug is empty if the page belongs to no workspace. */
export interface Names {
  slug: string
  keyId?: string | undefined
  memberId?: string | undefined
}

/** For the workspace in the path. Throws unless the person is a member there. */
export function workspaceContext(context: RequestContext, session: BrowserSession, names: Names): WorkspaceContext {
  const { slug, keyId, memberId } = names
  const workspace = session.memberships.find((membership) => membership.slug === slug)
  if (workspace === undefined) throw pageNotFound()
  const { nowMs, email, csrf } = session
  const recent = recentWorkspaces(context)
  const rank = (slug: string) => (recent.includes(slug) ? recent.indexOf(slug) : MAX_RECENT)
  const memberships = session.memberships.toSorted((a, b) => rank(a.slug) - rank(b.slug))
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
    section: sectionIn(context.request.path),
    nowMs,
    timezone: workspace.timezone ?? 'UTC',
    notice: flashOf(context) ?? (context.isSignedInAgain ? DRAFT : null),
  }
  return { ...context, session, workspace, frame, keyId, memberId }
}

/** A manager is an owner or an admin. */
export type MinimumRole = 'member' | 'manager' | 'owner'

/** Also refuses managers while the workspace is archived, unless the page is open then. */
export function requireRole<M extends Pick<Membership, 'role' | 'archivedAt'>>(
  membership: M | undefined,
  role: MinimumRole,
  isOpenWhenArchived = false,
): asserts membership is M {
  if (role === 'owner' && membership?.role !== 'owner') {
    const page = membership?.archivedAt ? 'workspace' : 'members'
    throw new PageError(403, 'Only owners can do this', `The ${page} page lists the owners.`)
  }
  if (membership === undefined || (role === 'manager' && !isManager(membership)))
    throw new PageError(403, 'Only owners and admins can do this', 'The API keys page lists the owners and admins.')
  if (role === 'manager' && membership.archivedAt !== null && !isOpenWhenArchived)
    throw new PageError(403, 'This workspace is archived', 'Nothing in it can be changed until an owner restores it.')
}

/** Checks the role again: the person may have been removed or signed out since the request began. */
export const changeAs = <T>(
  { store, session, workspace }: Pick<WorkspaceContext, 'store' | 'session' | 'workspace'>,
  role: MinimumRole,
  change: (tx: Transaction) => Promise<T>,
): Promise<T> =>
  store.transaction(async (tx) => {
    requireRole(await currentMembership(tx, session, workspace.workspaceId), role)
    return change(tx)
  })
