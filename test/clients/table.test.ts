import { libraries } from './roster/libraries.ts'
import { testClients } from './roster/table.ts'

// The programs among the clients are in test/long.
testClients(libraries)
