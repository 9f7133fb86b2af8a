import type { Resource } from '../../../src/resources/define.ts'
import { resources as published } from '../../../src/resources/index.ts'
import { books } from './contract.ts'

/** The published resources and one more, in one line. */
export const resources: readonly Resource[] = [...published, books]
