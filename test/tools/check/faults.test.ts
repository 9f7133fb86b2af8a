// Run once: the checks know only HTTP.
import { plantedFaults } from './faults.ts'
import { testFaults } from './plant-faults.ts'

testFaults(Object.entries(plantedFaults).filter(([, { isLong }]) => !isLong))
