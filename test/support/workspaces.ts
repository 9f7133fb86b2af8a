import { permissionsOf } from '../../src/resources/define.ts'
import { resources } from '../../src/resources/index.ts'
import { findWorkspace, insertWorkspace, setArchivedAt } from '../../src/workspaces/records.ts'
import type { Service } from './service.ts'

/** A separate workspace without defaults, and its key. */
export async function createBareWorkspace({ operator, keys }: Pick<Service, 'operator' | 'keys'>, slug = 'bare') {
  const id = `ws_${slug}`
  await operator.transaction((tx) =>
    insertWorkspace(tx, {
      id,
      slug,
      name: `The ${slug} workspace`,
      timezone: null,
      currencyCode: null,
      countryCode: null,
      createdAt: '2026-11-01T00:00:00.000Z',
      archivedAt: null,
    }),
  )
  const permissions = permissionsOf(resources)
  const { token } = await keys.create(slug, { label: slug, permissions, quota: null, expiresAt: null })
  return { id, key: token }
}

/** Archives the workspace `acme`, or restores it. */
export async function setArchived({ operator }: Pick<Service, 'operator'>, archivedAt: string | null): Promise<void> {
  await operator.transaction(async (tx) => {
    const acme = await findWorkspace(tx, 'acme')
    if (acme !== undefined) await setArchivedAt(tx, acme.id, archivedAt)
  })
}
