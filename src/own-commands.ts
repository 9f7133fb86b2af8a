/** Commands that no resource may use. The help lists them in this order, with those of the resources after `key`. */
export const ownCommands = [
  'serve',
  'demo',
  'workspace',
  'key',
  'member',
  'apply',
  'source',
  'audit',
  'scan',
  'stdio',
  'migrate',
  'copy',
  'backup',
  'restore',
  'doctor',
  'check',
  'resource',
  'openapi',
  'completion',
] as const

export type OwnCommand = (typeof ownCommands)[number]
