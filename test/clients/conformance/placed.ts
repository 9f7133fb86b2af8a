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

const namedTool = 'calls a tool of the suite’s own, by a name that we do not have'
const noInput = 'no tool asks its client for input'
const noPrompts = 'there are no prompts'
const noResources = 'there are no resources'
const noStream = 'there are no sessions and no streams'
const noTasksExtension = 'an extension of the protocol for long-running calls, which we do not offer'
const noSkillsExtension = 'an extension of the protocol, which we do not offer'

/** Scenarios that do not apply, and why. They still run, and their responses must match the schema. */
export const notApplicable: Record<string, string> = {
  'server-session-lifecycle': noStream,
  'server-sse-polling': noStream,
  'logging-set-level': 'there is no logging',
  'completion-complete': 'there are no completions',
  'tools-call-simple-text': namedTool,
  'tools-call-image': namedTool,
  'tools-call-audio': namedTool,
  'tools-call-embedded-resource': namedTool,
  'tools-call-mixed-content': namedTool,
  'tools-call-with-logging': namedTool,
  'tools-call-error': namedTool,
  'tools-call-with-progress': namedTool,
  'tools-call-sampling': namedTool,
  'tools-call-elicitation': namedTool,
  'json-schema-2020-12': namedTool,
  'http-custom-header-server-validation': 'no argument of a tool is mirrored in a header (x-mcp-header)',
  'elicitation-sep1034-defaults': noInput,
  'elicitation-sep1330-enums': noInput,
  'resources-list': noResources,
  'resources-read-text': noResources,
  'resources-read-binary': noResources,
  'resources-templates-read': noResources,
  'resources-subscribe': noResources,
  'resources-unsubscribe': noResources,
  'sep-2164-resource-not-found': noResources,
  'prompts-list': noPrompts,
  'prompts-get-simple': noPrompts,
  'prompts-get-with-args': noPrompts,
  'prompts-get-embedded-resource': noPrompts,
  'prompts-get-with-image': noPrompts,
  'input-required-result-basic-elicitation': noInput,
  'input-required-result-basic-sampling': noInput,
  'input-required-result-basic-list-roots': noInput,
  'input-required-result-request-state': noInput,
  'input-required-result-multiple-input-requests': noInput,
  'input-required-result-multi-round': noInput,
  'input-required-result-missing-input-response': noInput,
  'input-required-result-non-tool-request': noInput,
  'input-required-result-result-type': noInput,
  'input-required-result-tampered-state': noInput,
  'input-required-result-capability-check': noInput,
  'input-required-result-ignore-extra-params': noInput,
  'input-required-result-validate-input': noInput,
  'tasks-lifecycle': noTasksExtension,
  'tasks-capability-negotiation': noTasksExtension,
  'tasks-wire-fields': noTasksExtension,
  'tasks-request-state-removal': noTasksExtension,
  'tasks-mrtr-input': noTasksExtension,
  'tasks-request-headers': noTasksExtension,
  'tasks-dispatch-and-envelope': noTasksExtension,
  'tasks-status-notifications': noTasksExtension,
  'tasks-required-task-error': noTasksExtension,
  'tasks-mrtr-composition': noTasksExtension,
  'sep-2640-skills-directory': noSkillsExtension,
  'sep-2640-skills-enumeration': noSkillsExtension,
  'sep-2640-skills-manifest': noSkillsExtension,
}
