import { plantedFaults } from '../tools/check/faults.ts'
import { testFaults } from '../tools/check/plant-faults.ts'

testFaults(Object.entries(plantedFaults).filter(([, { isLong }]) => isLong))
