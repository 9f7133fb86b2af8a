import { KeyChangeError } from '../../keys/change-error.ts'
import { createSecret } from '../../lib/secret.ts'
import type { WorkspaceHandler } from '../context.ts'
import { htmlResponse, PageError } from '../responses.ts'
import { readKey } from './change.ts'
import { refusedChangePage } from './refused-change-page.ts'

/** A handler that responses a change which the key's state does not allow with what is true of the key, and the ways on. */
export const explainingRefusals =
  (handler: WorkspaceHandler): WorkspaceHandler =>
  async (context) => {
    try {
      return await handler(context)
    } catch (error) {
      if (!(error instanceof KeyChangeError)) throw error
      if (error.reason !== 'ended' && error.reason !== 'rotated') throw changedMeanwhile()
      const key = await readKey(context)
      return htmlResponse(409, refusedChangePage({ chrome: context.chrome, key, once: createSecret() }))
    }
  }

const changedMeanwhile = () =>
  new PageError(409, 'This key was changed meanwhile', 'Nothing was changed now. Open the key again to see how it is.')
