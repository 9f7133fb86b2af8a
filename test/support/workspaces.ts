import { permissionsOf } from '../../src/resources/define.ts'
import { resources } from '../../src/resources/index.ts'
import { createWorkspace } from './changes.ts'
import type { Service } from './service.ts'

/** A separate workspace without defaults, and its key. */
export async function createBareWorkspace({ operator, keys }: Pick<Service, 'operator' | 'keys'>, slug = 'bare') {
  const { id } = await createWorkspace(
    operator,
    { name: `The ${slug} workspace`, slug },
    'test',
    '2026-11-01T00:00:00.000Z',
  )
  const { token } = await keys.create(slug, {
    label: slug,
    permissions: permissionsOf(resources),
    quota: null,
    expiresAt: null,
  })
  return { id, key: token }
}

/** Archives the workspace `acme`, or restores it. */
export const setArchived = ({ changeElsewhere }: Pick<Service, 'changeElsewhere'>, at: string | null): Promise<void> =>
  changeElsewhere(`UPDATE workspaces SET archived_at = ${at && `'${at}'`} WHERE slug = 'acme'`)
