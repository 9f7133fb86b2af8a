import manifest from '../package.json' with { type: 'json' }

export { commit } from './commit.ts'
export const { version } = manifest
