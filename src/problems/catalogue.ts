interface Entry {
  status: number
  title: string
  /** What happened, for the page that explains the code. */
  meaning: string
  /** What the client can do about it. A specific error may override it. */
  hint: string
}

/** Every error that a client can get. Published codes are permanent: add codes, but never rename or remove one. */
export const catalogue = {
  invalid_json: {
    status: 400,
    title: 'The body is not JSON',
    meaning:
      'The request body is not a single JSON value in UTF-8, nests deeper than 64 levels, or holds more than 10,000 values.',
    hint: 'Send one JSON-RPC 2.0 request object, encoded as UTF-8.',
  },
  invalid_jsonrpc_request: {
    status: 400,
    title: 'Not a JSON-RPC 2.0 request',
    meaning: 'The body is JSON, but not one JSON-RPC 2.0 request object.',
    hint: 'Send one object with "jsonrpc": "2.0", a string "method", and optionally "id" and an object "params".',
  },
  unsupported_protocol_version: {
    status: 400,
    title: 'Unsupported MCP protocol version',
    meaning: 'The request asks for an MCP version that this server does not support at this path.',
    hint:
      'On /mcp and /v1/mcp send MCP-Protocol-Version: 2025-03-26, or omit the header. On /v2/mcp send one of the ' +
      'versions in error.data.supported, in both the header and params._meta.',
  },
  invalid_request_metadata: {
    status: 400,
    title: 'The request metadata is incomplete',
    meaning:
      'An MCP 2026-07-28 request must carry the protocol version (a string) and the client’s capabilities (an object) in ' +
      'params._meta. In this one, at least one of them is missing or malformed.',
    hint:
      'Send "io.modelcontextprotocol/protocolVersion": "2026-07-28" and "io.modelcontextprotocol/clientCapabilities": {} in ' +
      'params._meta of every request.',
  },
  header_mismatch: {
    status: 400,
    title: 'The headers do not match the body',
    meaning:
      'An MCP 2026-07-28 request repeats parts of its body as headers: MCP-Protocol-Version, Mcp-Method and, on ' +
      'tools/call, Mcp-Name. One of them is missing, malformed, sent twice, or does not match the body.',
    hint:
      'Send each of these headers once, with exactly the value in the body. Encode a tool name that is not plain ASCII as ' +
      '=?base64?<its UTF-8 in base64>?=.',
  },
  unsupported_media_type: {
    status: 400,
    title: 'Unsupported media type',
    meaning: 'The endpoint accepts only JSON, but the request declared something else.',
    hint: 'Send the body with Content-Type: application/json, in UTF-8, without Content-Encoding.',
  },
  payload_too_large: {
    status: 400,
    title: 'The body is too large',
    meaning: 'The request body is over 1 MiB.',
    hint: 'Send a smaller body. No request to this service needs more than a few hundred bytes.',
  },
  bad_request: {
    status: 400,
    title: 'Not a valid HTTP request',
    meaning: 'The request is not valid HTTP/1.1: its request line, a header, its path or its body is malformed.',
    hint: 'Check the URL and the headers, or use a maintained HTTP client.',
  },
  unauthorized: {
    status: 401,
    title: 'A valid workspace key is required',
    meaning: 'The request had no workspace key, or one that is unknown, expired, paused or revoked.',
    hint: 'Send "Authorization: Bearer <key>" with a key from the workspace settings, AI & agents › API keys.',
  },
  forbidden: {
    status: 403,
    title: 'The key may not read this',
    meaning: 'The key is valid, but was created without the permission that this resource requires.',
    hint: 'Ask an owner or admin of the workspace for a key with this permission.',
  },
  origin_not_allowed: {
    status: 403,
    title: 'Requests from web pages are not allowed',
    meaning:
      'The request had the Origin header of a web page. Keys are for servers and agents, never for browser code.',
    hint: 'Call from a server. An operator can allow an origin with ALLOWED_ORIGINS. If the key is in a page, revoke it.',
  },
  not_found: {
    status: 404,
    title: 'Path not found',
    meaning: 'This service has no such path.',
    hint: 'See /openapi.json for the operations that exist.',
  },
  workspace_not_found: {
    status: 404,
    title: 'The workspace is not available',
    meaning: 'The key is valid, but its workspace was archived or deleted.',
    hint: 'Ask an owner of the workspace to restore it, or use a key of another workspace.',
  },
  method_not_found: {
    status: 404,
    title: 'There is no such MCP method',
    meaning:
      'This server does not have this JSON-RPC method, or MCP 2026-07-28 does not: that version has no initialize, ping or ' +
      'logging/setLevel.',
    hint: 'Use server/discover, tools/list or tools/call. Clients of older versions start with initialize, without the headers of 2026-07-28.',
  },
  invalid_params: {
    status: 400,
    title: 'The parameters do not fit the method',
    meaning: 'A member of params is invalid for this MCP method. The detail names it.',
    hint: 'tools/call takes a string params.name; tools/list takes no cursor, because all tools are on one page.',
  },
  tool_not_found: {
    status: 404,
    title: 'There is no such tool for this key',
    meaning: 'No tool has this name, or the key was created without the permission that the tool requires.',
    hint: 'Call tools/list and use a name from it. For a tool that is not in the list, ask for a key with its permission.',
  },
  method_not_allowed: {
    status: 405,
    title: 'The method is not allowed here',
    meaning: 'The resource exists, but does not support this method. Vitrine is read-only.',
    hint: 'Use a method that the Allow header lists.',
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    meaning: 'The connection was open, but the complete request did not arrive in time.',
    hint: 'Send the request again, on a new connection.',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large',
    meaning: 'The request line and headers together are over 16 KiB.',
    hint: 'Send fewer or shorter headers.',
  },
  rate_limited: {
    status: 429,
    title: 'The rate limit is exceeded',
    meaning: 'The key has used up its quota for the current window. REST and MCP requests share one quota per key.',
    hint: 'Wait for the number of seconds in Retry-After, then continue. Give each script its own key.',
  },
  internal_error: {
    status: 500,
    title: 'Something went wrong on the server',
    meaning:
      'The server failed, and the client is not the cause. The server’s log has the details under the request id.',
    hint: 'Try again later. If the error persists, give the operator the X-Request-Id of this response.',
  },
  not_ready: {
    status: 503,
    title: 'The server is not ready',
    meaning:
      'The server is running, but cannot reach its database at the moment, or is about to stop. Only the readiness check ' +
      'returns this, or a proxy that cannot reach any server.',
    hint: 'Send traffic to another replica, and check this server’s log.',
  },
  overloaded: {
    status: 503,
    title: 'Overloaded',
    meaning: 'The server has more work than it can handle in time, and refused this request before starting on it.',
    hint: 'Wait for the number of seconds in Retry-After, then try again.',
  },
} as const satisfies Record<string, Entry>

export type ProblemCode = keyof typeof catalogue

export const problemCodes = Object.keys(catalogue) as ProblemCode[]
