/** Commands that no resource may use. The help lists them in this order, with those of the resources after `key`. */
export const reservedCommands = [
  'try',
  'serve',
  'demo',
  'workspace',
  'key',
  'member',
  'apply',
  'source',
  'audit',
  'stdio',
  'migrate',
  'copy',
  'backup',
  'restore',
  'doctor',
  'check',
  'resource',
  'openapi',
] as const

export type ReservedCommand = (typeof reservedCommands)[number]
