import { permissionsOf } from '../../src/resources/define.ts'
import { agentViewPage, previewPart } from '../../src/web/keys/agent/view.ts'
import { createdKeyPage } from '../../src/web/keys/create/created.ts'
import { createKeyPage } from '../../src/web/keys/create/new-key.ts'
import { keyPage } from '../../src/web/keys/key/details.ts'
import { keysPage } from '../../src/web/keys/list.ts'
import { permissionWords } from '../../src/web/keys/permissions.ts'
import { workspacePage } from '../../src/web/workspace/details.ts'
import { manyResources } from './many-resources.ts'
import { agentViewModelOf } from './sample-agent.ts'
import { keyDetails, keyModel } from './sample-key-pages.ts'
import { keysModelOf, manyKeysModel } from './sample-listing.ts'
import { createdKeyModel, createKeyModel, workspaceModel } from './sample-models.ts'

const resources = manyResources()
const permissions = permissionsOf(resources)
const words = permissionWords(resources)
const agentModel = agentViewModelOf(resources, permissions)
const some = permissions.filter((_, index) => index % 3 !== 1)
const withAll = manyKeysModel.listing.keys.map((key) => ({ ...key, permissions }))

/** The pages of a service whose operator declared 20 resources. */
export const sampleDeclaredPages: Record<string, () => string> = {
  'create-declared': () => createKeyPage({ ...createKeyModel, permissions: words }),
  'create-declared-errors': () =>
    createKeyPage({
      ...createKeyModel,
      permissions: words,
      values: { ...createKeyModel.values, label: '', permissions: [] },
      errors: { label: 'Give it a label.', permissions: 'Choose at least one permission.' },
    }),
  'create-declared-large': () => createKeyPage({ ...createKeyModel, permissions: permissionWords(manyResources(90)) }),
  'create-declared-preview': () =>
    createKeyPage({
      ...createKeyModel,
      permissions: words,
      values: { ...createKeyModel.values, permissions },
      preview: previewPart(agentModel.view),
    }),
  'created-declared': () => createdKeyPage({ ...createdKeyModel, key: { ...createdKeyModel.key, permissions } }),
  'key-declared': () =>
    keyPage({ ...keyModel, permissions: words, key: { ...keyDetails.key, permissions: [...some, 'gone:read'] } }),
  'key-declared-few': () => keyPage({ ...keyModel, permissions: words }),
  'keys-declared': () => keysPage(keysModelOf(withAll)),
  'agent-declared': () => agentViewPage(agentModel),
  'agent-declared-few': () => agentViewPage(agentViewModelOf(resources, ['workspace:read'])),
  'workspace-declared': () =>
    workspacePage({
      ...workspaceModel,
      sources: (workspaceModel.sources ?? []).map((source, index) => ({
        ...source,
        list: ['tasks', 'orders', 'stocklevels', 'suppliers'][index] ?? 'tasks',
      })),
    }),
}
