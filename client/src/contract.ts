// Written by "npm run types" from contract/openapi.json.
export interface paths {
    readonly "/workspace": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read the workspace
         * @description Returns the identity of the workspace that the key belongs to, and its defaults: timezone, currency and country. Use them to interpret dates and money from this and other resources. Needs the permission `workspace:read`.
         */
        readonly get: operations["readWorkspace"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/tasks": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List current tasks
         * @description Returns the workspace's current tasks, at most 100: those that are open and not snoozed into the future. Tasks with a due date come first, earliest first; tasks without one follow; ties keep creation order. Needs the permission `tasks:read`.
         */
        readonly get: operations["readTasks"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description The identity of a workspace and its defaults. */
        readonly Workspace: {
            /** @description Stable workspace identifier. */
            readonly id: string;
            /** @description Display name. */
            readonly name: string;
            /** @description Human-readable workspace slug. */
            readonly slug: string;
            /** @description IANA timezone name used for business dates. */
            readonly timezone: string | null;
            /** @description ISO 4217 reporting currency code. */
            readonly currencyCode: string | null;
            /** @description ISO 3166-1 alpha-2 country code. */
            readonly countryCode: string | null;
        };
        /** @description A current task: open, and not snoozed into the future. */
        readonly Task: {
            /** @description Stable task identifier. */
            readonly id: string;
            /** @description Short description of the work. */
            readonly title: string;
            /** @description Additional task context when available. */
            readonly details: string | null;
            /**
             * Format: date-time
             * @description Due time; null when the task has no due date.
             */
            readonly dueAt: string | null;
            /** @description Buying-remit key; null for a workspace-wide task. */
            readonly bookKey: string | null;
            /** @description Display name of the assignee, when assigned. */
            readonly assigneeName: string | null;
            /**
             * Format: email
             * @description Email address of the assignee, when assigned.
             */
            readonly assigneeEmail: string | null;
            /** @description Identifier of the work unit that produced the task, when applicable. */
            readonly sourceSessionId: string | null;
            /** @description Title of the source work unit, when applicable. */
            readonly sourceTitle: string | null;
            /** @description Summary of the source work unit, when available. */
            readonly sourceSummary: string | null;
            /** @description Extensible kind of the source work unit, when applicable. The set of values is open. */
            readonly sourceKind: string | null;
        };
        readonly ListTasksArguments: {
            /**
             * @description overdue: before now. this_week: Monday to Sunday, past days too. next_7_days: from now. none: undated.
             * @enum {string}
             */
            readonly due?: "overdue" | "today" | "tomorrow" | "this_week" | "next_7_days" | "none";
            /** @description Due at or after: 2026-11-20T09:00:00Z, or a local date, 2026-11-20. */
            readonly dueAfter?: string;
            /** @description Due before this; same forms. */
            readonly dueBefore?: string;
            /** @description Part of any name, or one whole email address. */
            readonly assignee?: string;
            /** @description Exact email address. */
            readonly assigneeEmail?: string;
            /** @description true: only unassigned tasks. */
            readonly unassigned?: boolean;
            /** @description Exact key of a buying remit. */
            readonly bookKey?: string;
            /** @description true: tasks without a bookKey. */
            readonly workspaceWide?: boolean;
            /** @description Exact session id. */
            readonly sourceSessionId?: string;
            /** @description Exact kind of source. */
            readonly sourceKind?: string;
            /** @description Task ids; notFound lists unknown ones. */
            readonly ids?: readonly string[];
            /** @description Words that must all occur, even within words, in title, details, bookKey, assigneeName, sourceTitle or sourceSummary; "in quotes" a phrase. */
            readonly query?: string;
            /**
             * @description Count matches per value instead of listing them.
             * @enum {string}
             */
            readonly countBy?: "assignee" | "bookKey" | "sourceKind" | "sourceSessionId" | "dueDate";
            /** @description Only these besides id and title, uncut; saves tokens. */
            readonly fields?: readonly ("id" | "title" | "details" | "dueAt" | "bookKey" | "assigneeName" | "assigneeEmail" | "sourceSessionId" | "sourceTitle" | "sourceSummary" | "sourceKind")[];
            /** @description Default 100. */
            readonly limit?: number;
            /** @description nextCursor of the page before; same filters. */
            readonly cursor?: string;
            /** @description An earlier etag, an instant, a date or today: only what changed since, and gone ids. */
            readonly changedSince?: string;
            /** @description etag of an earlier result; returns only unchanged if nothing changed. */
            readonly ifNoneMatch?: string;
        };
        readonly ListTasksResult: {
            readonly asOf: string;
            readonly etag: string;
            readonly unchanged?: boolean;
            readonly localDate?: string;
            readonly timezone?: string | null;
            readonly since?: string;
            readonly total?: number;
            readonly totalIsMinimum?: boolean;
            readonly hasMore?: boolean;
            readonly nextCursor?: string | null;
            readonly suggestions?: {
                readonly bookKey?: readonly string[];
                readonly assignee?: readonly string[];
                readonly assigneeEmail?: readonly string[];
                readonly sourceSessionId?: readonly string[];
                readonly sourceKind?: readonly string[];
                readonly query?: {
                    readonly [key: string]: number;
                };
            };
            readonly notFound?: readonly string[];
            readonly tasks?: readonly {
                /** @description Stable task identifier. */
                readonly id: string;
                /** @description Short description of the work. */
                readonly title: string;
                /** @description Additional task context when available. */
                readonly details?: string | null;
                /**
                 * Format: date-time
                 * @description Due time; null when the task has no due date.
                 */
                readonly dueAt?: string | null;
                /** @description Buying-remit key; null for a workspace-wide task. */
                readonly bookKey?: string | null;
                /** @description Display name of the assignee, when assigned. */
                readonly assigneeName?: string | null;
                /**
                 * Format: email
                 * @description Email address of the assignee, when assigned.
                 */
                readonly assigneeEmail?: string | null;
                /** @description Identifier of the work unit that produced the task, when applicable. */
                readonly sourceSessionId?: string | null;
                /** @description Title of the source work unit, when applicable. */
                readonly sourceTitle?: string | null;
                /** @description Summary of the source work unit, when available. */
                readonly sourceSummary?: string | null;
                /** @description Extensible kind of the source work unit, when applicable. The set of values is open. */
                readonly sourceKind?: string | null;
                readonly truncated?: readonly string[];
            }[];
            readonly gone?: readonly string[];
            readonly goneIsPartial?: boolean;
            readonly overdue?: number;
            readonly counts?: readonly {
                readonly value: string | null;
                readonly count: number;
                readonly overdue?: number;
                readonly name?: string;
                readonly title?: string;
            }[];
            readonly more?: number;
        };
        /** @description RFC 9457, with a stable code and a hint. */
        readonly Problem: {
            /**
             * Format: uri-reference
             * @description Links to a page that explains the code.
             */
            readonly type: string;
            /** @description Short human-readable summary. */
            readonly title: string;
            /** @description HTTP status code. */
            readonly status: number;
            /**
             * @description Stable machine-readable error code. Codes are never removed; new ones may be added.
             * @example invalid_json
             * @example invalid_jsonrpc_request
             * @example unsupported_protocol_version
             * @example invalid_request_metadata
             * @example header_mismatch
             * @example unsupported_media_type
             * @example payload_too_large
             * @example bad_request
             * @example unauthorized
             * @example forbidden
             * @example origin_not_allowed
             * @example not_found
             * @example workspace_not_found
             * @example method_not_found
             * @example invalid_params
             * @example tool_not_found
             * @example method_not_allowed
             * @example request_timeout
             * @example headers_too_large
             * @example rate_limited
             * @example internal_error
             * @example not_ready
             * @example overloaded
             * @example source_unavailable
             * @enum {string}
             */
            readonly code: "invalid_json" | "invalid_jsonrpc_request" | "unsupported_protocol_version" | "invalid_request_metadata" | "header_mismatch" | "unsupported_media_type" | "payload_too_large" | "bad_request" | "unauthorized" | "forbidden" | "origin_not_allowed" | "not_found" | "workspace_not_found" | "method_not_found" | "invalid_params" | "tool_not_found" | "method_not_allowed" | "request_timeout" | "headers_too_large" | "rate_limited" | "internal_error" | "not_ready" | "overloaded" | "source_unavailable";
            /** @description Explanation specific to this occurrence. */
            readonly detail: string;
            /** @description How to resolve or work around the error. */
            readonly hint: string;
            /**
             * Format: uri-reference
             * @description This occurrence; only on the MCP endpoint.
             */
            readonly instance?: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: {
        /**
         * @description Request quota for the current window.
         * @example 600
         */
        readonly "RateLimit-Limit": number;
        /**
         * @description Requests remaining in the current window.
         * @example 599
         */
        readonly "RateLimit-Remaining": number;
        /**
         * @description Seconds until the window resets.
         * @example 60
         */
        readonly "RateLimit-Reset": number;
        /**
         * @description Requests remaining in the current window, if a key was recognised.
         * @example 599
         */
        readonly "Optional-RateLimit-Remaining": number;
        /**
         * @description Seconds until the window resets, if a key was recognised.
         * @example 60
         */
        readonly "Optional-RateLimit-Reset": number;
        /**
         * @description Quota policy: `<limit>;w=<window-seconds>`.
         * @example 600;w=60
         */
        readonly "RateLimit-Policy": string;
        /**
         * @description Seconds to wait before retrying.
         * @example 60
         */
        readonly "Retry-After": number;
        /**
         * @description The negotiated MCP protocol version.
         * @example 2025-03-26
         */
        readonly "X-Service-Api-Version": string;
        /**
         * @description Sent if the list has more rows than the response: how many it has, counted up to 10,000. The list’s tool reads all of them.
         * @example 250
         */
        readonly "X-Total-Count": number;
        /**
         * @description Identifies this request in the server’s log.
         * @example 0199a3c2-7d1e-4b7a-9f55-3f0b6f2f9d10
         */
        readonly "X-Request-Id": string;
        /**
         * @description How to authenticate. On `/v2/mcp`, it names the OAuth metadata if people can connect agents by signing in.
         * @example Bearer realm="vitrine", error="invalid_token"
         */
        readonly "WWW-Authenticate": string;
        /**
         * @description The allowed methods.
         * @example GET, HEAD
         */
        readonly Allow: string;
        /**
         * @description Changes if and only if the body does.
         * @example "q0J1mFZ4x0cQ8a7kE2yVvT3hWbN"
         */
        readonly ETag: string;
        /**
         * @description `private, no-cache`, or `no-store` on problems.
         * @example private, no-cache
         */
        readonly "Cache-Control": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readonly readWorkspace: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The ETag of an earlier response; if it still matches, the response is 304 without a body. */
                readonly "If-None-Match"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Read the workspace */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "workspace": {
                     *         "id": "ws_4f9d2c81a0b3",
                     *         "name": "Northwind Buying",
                     *         "slug": "northwind",
                     *         "timezone": "Europe/London",
                     *         "currencyCode": "GBP",
                     *         "countryCode": "GB"
                     *       }
                     *     }
                     */
                    readonly "application/json": {
                        readonly workspace: components["schemas"]["Workspace"];
                    };
                };
            };
            /** @description Not modified since the response with this ETag. */
            readonly 304: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unauthorized`: A valid workspace key is required. */
            readonly 401: {
                headers: {
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The key may not read this. */
            readonly 403: {
                headers: {
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `workspace_not_found`: The workspace is not available. */
            readonly 404: {
                headers: {
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: The method is not allowed here. */
            readonly 405: {
                headers: {
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: The rate limit is exceeded. */
            readonly 429: {
                headers: {
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error`: Something went wrong on the server. */
            readonly 500: {
                headers: {
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "RateLimit-Remaining": components["headers"]["Optional-RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["Optional-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `overloaded`: Overloaded. */
            readonly 503: {
                headers: {
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "RateLimit-Remaining": components["headers"]["Optional-RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["Optional-RateLimit-Reset"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem found before the request reached the operation, such as a malformed or slow request. */
            readonly default: {
                headers: {
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly readTasks: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The ETag of an earlier response; if it still matches, the response is 304 without a body. */
                readonly "If-None-Match"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description List current tasks */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "X-Total-Count": components["headers"]["X-Total-Count"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tasks": [
                     *         {
                     *           "id": "task_0192",
                     *           "title": "Confirm the spring linen order with Alvés & Filhos",
                     *           "details": "They hold the price until Friday.",
                     *           "dueAt": "2026-11-16T17:00:00.000Z",
                     *           "bookKey": "home-textiles",
                     *           "assigneeName": "Priya Raman",
                     *           "assigneeEmail": "priya@northwind.example",
                     *           "sourceSessionId": "session_88",
                     *           "sourceTitle": "Supplier call, Alvés & Filhos",
                     *           "sourceSummary": "Price agreed, quantity open.",
                     *           "sourceKind": "meeting"
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": {
                        readonly tasks: readonly components["schemas"]["Task"][];
                    };
                };
            };
            /** @description Not modified since the response with this ETag. */
            readonly 304: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "X-Total-Count": components["headers"]["X-Total-Count"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unauthorized`: A valid workspace key is required. */
            readonly 401: {
                headers: {
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The key may not read this. */
            readonly 403: {
                headers: {
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: The method is not allowed here. */
            readonly 405: {
                headers: {
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: The rate limit is exceeded. */
            readonly 429: {
                headers: {
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error`: Something went wrong on the server. */
            readonly 500: {
                headers: {
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "RateLimit-Remaining": components["headers"]["Optional-RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["Optional-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `overloaded`: Overloaded. */
            readonly 503: {
                headers: {
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "RateLimit-Remaining": components["headers"]["Optional-RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["Optional-RateLimit-Reset"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem found before the request reached the operation, such as a malformed or slow request. */
            readonly default: {
                headers: {
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
