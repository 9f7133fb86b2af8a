import { compileDefinition } from '../../src/resources/declared/compile.ts'
import type { Resource } from '../../src/resources/define.ts'
import { resources as builtIn } from '../../src/resources/index.ts'
import { orders as definition } from '../resources/declared/orders.ts'

/** The built-in resources, and one that an operator declared. */
export const resources: readonly Resource[] = [...builtIn, compileDefinition(definition)]
