import { permissionsOf } from '../../src/resources/define.ts'
import { agentViewPage } from '../../src/web/keys/agent/view.ts'
import { createKeyPage } from '../../src/web/keys/create/new-key.ts'
import { keyPage } from '../../src/web/keys/key/details.ts'
import { permissionWords } from '../../src/web/keys/permissions.ts'
import { manyResources } from './many-resources.ts'
import { agentViewModelOf } from './sample-agent.ts'
import { keyDetails, keyModel } from './sample-key-pages.ts'
import { createKeyModel } from './sample-models.ts'

const resources = manyResources()
const permissions = permissionsOf(resources)
const words = permissionWords(resources)
const some = permissions.filter((_, index) => index % 3 !== 1)

/** The pages of a service whose operator declared 20 resources. */
export const sampleDeclaredPages: Record<string, () => string> = {
  'create-declared': () => createKeyPage({ ...createKeyModel, permissions: words }),
  'key-declared': () =>
    keyPage({ ...keyModel, permissions: words, key: { ...keyDetails.key, permissions: [...some, 'gone:read'] } }),
  'agent-declared': () => agentViewPage(agentViewModelOf(resources, permissions)),
}
