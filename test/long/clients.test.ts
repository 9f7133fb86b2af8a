/** Every client of the table in docs/mcp.md, the coding agents and other programs too: `npm run test:clients:install` installs those. */
import { clients, testClients } from '../clients/roster/table.ts'

testClients(clients)
