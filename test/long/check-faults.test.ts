import { plantedFaults } from '../check/faults.ts'
import { testFaults } from '../check/plant-faults.ts'

testFaults(Object.entries(plantedFaults).filter(([, { isLong }]) => isLong))
