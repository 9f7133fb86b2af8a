import type { Resource } from '../../../src/resources/define.ts'
import { resources as published } from '../../../src/resources/index.ts'
import { parcels } from './contract.ts'

export const resources: readonly Resource[] = [...published, parcels]
