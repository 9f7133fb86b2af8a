import type { Admission } from '../database/admission.ts'
import type { Caller } from '../database/usage/caller.ts'
import type { Quota, QuotaWindow } from '../lib/rate-windows.ts'

/** A request that the service sends to itself on a person's behalf. */
export interface ApiRequest {
  method: 'GET' | 'POST'
  path: string
  headers: Readonly<Record<string, string>>
  body?: string
}

/** Without Date and Connection, which HTTP adds to every response. */
export interface ApiResponse {
  status: number
  headers: (readonly [name: string, value: string])[]
  body: Buffer
}

/** The key may exist already, or be about to be created. */
interface PreviewAccess extends Pick<Admission, 'workspaceId' | 'available' | 'now'> {
  permissions: readonly string[]
}

/** The settings pages call the public API through this. */
export interface PublicApi {
  /** Admits, counts, records and logs the request as if the key holder had sent it. */
  perform(keyHash: string, request: ApiRequest, caller: Caller): Promise<ApiResponse>
  /** Returns the response's body. Does not admit, count, record or cache anything. */
  preview(access: PreviewAccess, request: ApiRequest): Promise<Buffer>
  /** Undefined if none of the quota is used. */
  quotaInUse(keyId: string, quota: Quota): Promise<QuotaWindow | undefined>
  agentRequest(method: string, params?: Readonly<Record<string, unknown>>): ApiRequest
}
