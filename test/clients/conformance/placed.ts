/** What a scenario of the conformance suite must show of a service that has two tools, and no more. */
export interface Placed {
  /** How many of its checks pass. */
  passed: number
  /** The checks that cannot pass, and why. */
  untestable?: Record<string, string>
}

/** Of the revisions with a handshake, which the suite runs as 2025-11-25. */
export const handshake: Record<string, Placed> = {
  'server-initialize': { passed: 2 },
  ping: { passed: 2 },
  'tools-list': { passed: 3 },
  'server-sse-multiple-streams': {
    passed: 0,
    untestable: { 'server-sse-multiple-streams-session': 'there are no sessions' },
  },
  'dns-rebinding-protection': {
    passed: 1,
    untestable: {
      'localhost-host-valid-accepted': 'names 2025-11-25 in the header after 2025-03-26 was agreed, which gets a 400',
    },
  },
}

/** Of 2026-07-28. */
export const stateless: Record<string, Placed> = {
  'tools-list': { passed: 4 },
  'http-header-validation': { passed: 14 },
  'dns-rebinding-protection': { passed: 2 },
  'server-stateless': {
    passed: 21,
    untestable: {
      'sep-2575-server-rejects-undeclared-capability': 'wants a tool test_missing_capability; ours need no capability',
      'sep-2575-missing-capability-http-400': 'wants a tool test_missing_capability',
      'sep-2575-http-server-no-independent-requests-on-stream': 'wants a tool test_streaming_elicitation; none streams',
      'sep-2575-server-no-log-without-loglevel': 'wants a tool test_logging_tool; there is no logging',
      'sep-2575-server-sends-subscription-ack': 'there are no subscriptions',
      'sep-2575-server-tags-subscription-id': 'there are no subscriptions',
      'sep-2575-server-honors-notification-filter': 'there are no subscriptions',
      'sep-2575-server-sends-prompts-list-changed-on-subscription': 'there are no subscriptions',
      'sep-2575-server-sends-tools-list-changed-on-subscription': 'there are no subscriptions',
    },
  },
  caching: {
    passed: 4,
    untestable: {
      'sep-2549-prompts-list-caching-hints': 'there are no prompts',
      'sep-2549-resources-list-caching-hints': 'there are no resources',
      'sep-2549-resources-templates-list-caching-hints': 'there are no resources',
      'sep-2549-resources-read-caching-hints': 'there are no resources',
    },
  },
  'server-sse-multiple-streams': { passed: 1 },
  'input-required-result-unsupported-methods': { passed: 2 },
}

/** Scenarios that do not apply, and why. They still run, and their responses must match the schema. */
const notApplicable: [RegExp, string][] = [
  [/^server-(session-lifecycle|sse-polling)$/, 'there are no sessions and no streams'],
  [/^(logging-set-level|completion-complete)$/, 'there is no logging, and there are no completions'],
  [/^(tools-call-.+|json-schema-2020-12)$/, 'calls a tool of the suite’s own, by a name that we do not have'],
  [/^http-custom-header-server-validation$/, 'no argument of a tool is mirrored in a header (x-mcp-header)'],
  [/^(elicitation-sep.+|input-required-result-.+)$/, 'no tool asks its client for input'],
  [/^(resources-.+|sep-2164-resource-not-found)$/, 'there are no resources'],
  [/^prompts-.+/, 'there are no prompts'],
  [/^(tasks-.+|sep-2640-skills-.+)/, 'extensions of the protocol, which we do not offer'],
]

export const isApplicable = (scenario: string): boolean => !notApplicable.some(([names]) => names.test(scenario))
