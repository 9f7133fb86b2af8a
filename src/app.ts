import { openApiDocument } from './api/openapi.ts'
import type { ObserveRequest, Operation, Page } from './api/operation.ts'
import type { ReservedPath } from './api/reserved-paths.ts'
import type { Config } from './config.ts'
import type { ClientRegistry } from './connections/client-document.ts'
import {
  CONNECT_PATH,
  challengeOf,
  ENDPOINT_PATHS,
  hintForOAuthPath,
  RESOURCE_METADATA_PATH,
  resourceMetadata,
  SERVER_METADATA_PATH,
  serverMetadata,
} from './connections/metadata.ts'
import type { ObserveConnection } from './connections/oauth-error.ts'
import type { OperatorStore, PublicStore } from './database/store.ts'
import { type ConnectionStats, Connections } from './http/connections.ts'
import { EventLoopTicks } from './http/event-loop-ticks.ts'
import { createHandler } from './http/handler.ts'
import { documentPage, healthPages, problemPages } from './http/pages.ts'
import { restOperation } from './http/rest.ts'
import { createRouter } from './http/routing.ts'
import { defaultLimits, HttpServer, type ServerLimits } from './http/server.ts'
import { createKeyGate } from './keys/admission.ts'
import { createRequestRecorder } from './keys/record-requests.ts'
import { FairShare, type Occupancy } from './lib/fair-share.ts'
import { createForeignOriginTest, type IsForeignOrigin } from './lib/foreign-origin.ts'
import type { Logger } from './lib/logger.ts'
import { UserError } from './lib/user-error.ts'
import { readerOf } from './lists/stored/rows.ts'
import { logLine } from './log-lines.ts'
import { createVersion20250326 } from './mcp/2025-03-26/version.ts'
import { createAgentPreview } from './mcp/2026-07-28/preview.ts'
import { createVersion20260728 } from './mcp/2026-07-28/version.ts'
import { mcpOperation, type Versions } from './mcp/endpoint.ts'
import { checkResources } from './resources/check.ts'
import { defaultPermissions, examplePathOf, permissionsOf, type Resource } from './resources/define.ts'
import { resources as published } from './resources/index.ts'
import { type CacheStats, ResponseCache } from './resources/response-cache.ts'
import { createLazyApp, createLazySite } from './web/lazy.ts'

export interface AppOptions {
  log: Logger
  resources?: readonly Resource[]
  limits?: Partial<ServerLimits>
  /** Without it there are no settings pages. */
  settingsStore?: OperatorStore | undefined
  /** For limits on requests to the settings pages. */
  clock?: () => number
  /** By default, clients' metadata documents are fetched from the internet. */
  clients?: ClientRegistry | undefined
  observer?: Observer | undefined
}

export interface Observer {
  request: ObserveRequest
  /** Called for each response to input that the HTTP parser rejected. */
  parserError(status: number): void
  connection: ObserveConnection
}

export interface AppStats extends ConnectionStats {
  cache: CacheStats
  /** Requests whose responses are not ready. */
  inProgress: Occupancy
  /** Response bytes that clients have not read. */
  unread: Occupancy
}

/** The largest share of the requests in progress that one caller may hold. */
const MAX_SHARE = 1 / 2

/**
 * The largest response is 13.2 MB, or 28.6 MB as a tool's result: a workspace may hold a quarter, so one of them can be sent while the
 * next is prepared. A FairShare may exceed its maximum up to twice.
 */
const MAX_UNREAD_BYTES = 128 * 1024 * 1024
const MAX_UNREAD_SHARE = 1 / 4

const MCP_PATHS = ['/mcp', '/v1/mcp', '/v2/mcp'] as const satisfies ReservedPath[]
type McpPath = (typeof MCP_PATHS)[number]

function createOperations(
  config: Config,
  resources: readonly Resource[],
  cache: ResponseCache,
  isForeignOrigin: IsForeignOrigin,
): Operation[] {
  const old = createVersion20250326(resources, cache)
  const current = createVersion20260728(resources, cache, config.publicUrl, [old.version])
  // To remove a protocol version, delete it here and delete its folder.
  const versions: Record<McpPath, Versions> = { '/mcp': [old], '/v1/mcp': [old], '/v2/mcp': [current, old] }
  const challengeAt = (path: ReservedPath) =>
    path === CONNECT_PATH && config.connect ? challengeOf(config.publicUrl, defaultPermissions(resources)) : ''
  return [
    ...resources.map((resource) => restOperation(resource, cache)),
    ...MCP_PATHS.map((path) => mcpOperation(path, versions[path], isForeignOrigin, challengeAt(path))),
  ]
}

function createPages(
  config: Config,
  resources: readonly Resource[],
  operations: readonly Operation[],
  hasSettings: boolean,
): Page[] {
  const { connect, publicUrl } = config
  const permissions = permissionsOf(resources)
  const openApi = () => openApiDocument(operations, config)
  const metadata = [
    documentPage(RESOURCE_METADATA_PATH, () => resourceMetadata(publicUrl, permissions)),
    documentPage(SERVER_METADATA_PATH, () => serverMetadata(publicUrl, permissions)),
  ]
  return [
    documentPage('/openapi.json', openApi),
    ...(connect === undefined ? [] : metadata),
    createLazySite({ config, openApi, examplePath: examplePathOf(resources), hasSettings }),
    problemPages,
  ]
}

/** The OpenAPI document of a server with this configuration. Describing the operations does not query the store. */
export function apiDocument(config: Config, resources: readonly Resource[] = published): object {
  checkLifecyclePaths(config, resources)
  const operations = createOperations(config, resources, new ResponseCache({} as PublicStore, 0), () => true)
  return openApiDocument(operations, config)
}

/** As the newest protocol version lists it. */
export { toolDefinition as describeTool } from './mcp/2026-07-28/tools.ts'

/** Assembles the whole service on top of a store. The caller starts listening. */
export function createApp(
  fullConfig: Config,
  store: PublicStore,
  options: AppOptions,
): { server: HttpServer; stats: () => AppStats } {
  const { log, resources = published, settingsStore, clock = Date.now, clients, observer } = options
  const limits = { ...defaultLimits, ...options.limits }
  // People consent on a settings page.
  const config = settingsStore === undefined ? { ...fullConfig, connect: undefined } : fullConfig
  checkResources(resources)
  checkLifecyclePaths(config, resources)
  const { publicUrl, quota, lifecycle, trustedProxies } = config
  const canConnect = config.connect !== undefined
  const common = { publicUrl, oauthPaths: canConnect ? ENDPOINT_PATHS : [], quota, log }
  const cache = new ResponseCache(store, config.cacheBytes)
  const isForeignOrigin = createForeignOriginTest(publicUrl, config.allowedOrigins)
  const operations = createOperations(config, resources, cache, isForeignOrigin)
  const gate = createKeyGate(store, canConnect)
  const settings =
    settingsStore &&
    createLazyApp({
      ...{ config, store: settingsStore, resources, clock, clients },
      agentPreview: createAgentPreview(resources, store),
      quotaInUse: (keyId, keyQuota) => store.quotaInUse(keyId, keyQuota),
      readerOf: (list) => readerOf(store, list),
      observeConnection(requestId, step, outcome, keyId) {
        logLine(log, outcome === 'reused' ? 'connectionReused' : 'connection', { requestId, keyId, step, outcome })
        observer?.connection(step, outcome)
      },
    })
  const stopping = new AbortController()
  const pages = [
    ...healthPages(store, log, stopping.signal),
    ...createPages(config, resources, operations, settingsStore !== undefined),
    ...(settings === undefined ? [] : [settings]),
  ]
  const router = createRouter(operations, pages, lifecycle)
  const connections = new Connections(limits.connections, trustedProxies, log)
  const inProgress = new FairShare(limits.requestsInProgress, MAX_SHARE)
  const unread = new FairShare(MAX_UNREAD_BYTES, MAX_UNREAD_SHARE)
  const handle = createHandler({
    ...common,
    router,
    notFoundHint: (path) => hintForOAuthPath(path, canConnect),
    store,
    gate,
    recordRequest: createRequestRecorder(store, isForeignOrigin),
    stopping: stopping.signal,
    ticks: new EventLoopTicks(connections),
    inProgress,
    unread,
    observe: observer?.request,
    stallTimeoutMs: limits.stallTimeoutMs,
  })
  const server = new HttpServer(handle, {
    ...common,
    trustedProxies,
    limits,
    connections,
    router,
    stopping,
    observeParserError: observer?.parserError,
  })
  const stats = () => ({
    ...connections.stats,
    cache: cache.stats,
    inProgress: inProgress.occupancy,
    unread: unread.occupancy,
  })
  return { server, stats }
}

export function checkLifecyclePaths({ lifecycle }: Config, resources: readonly Resource[]): void {
  const paths: string[] = [...resources.map(({ path }) => path), ...MCP_PATHS]
  const unknown = lifecycle.keys().find((path) => !paths.includes(path))
  if (unknown !== undefined)
    throw new UserError(`LIFECYCLE: ${unknown} is not an API path; the paths are ${paths.join(', ')}`)
}
