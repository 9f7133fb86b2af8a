import { basename } from 'node:path'
import type { Transaction } from '../../database/store.ts'
import { sourceStateOf } from '../../import/source-state.ts'
import { listSources, type Source } from '../../import/sources.ts'
import type { HttpResponse } from '../../operation.ts'
import type { WorkspaceContext } from '../context.ts'
import { paths } from '../paths.ts'
import { redirect } from '../responses.ts'
import type { ShownSource } from './sources-table.ts'

/** Sources had a page of their own once. */
export const showSources = async ({ workspace }: WorkspaceContext): Promise<HttpResponse> =>
  redirect(paths.sources(workspace.slug))

export async function readSources(tx: Transaction, workspaceId: string, nowMs: number): Promise<ShownSource[]> {
  return (await listSources(tx, workspaceId)).flatMap((source) => {
    const state = sourceStateOf(source, nowMs)
    return state === 'abandoned' ? [] : { ...withoutFolders(source), state }
  })
}

/** Where files lie on the server is the operator's business: a page names them without their folders. */
function withoutFolders(source: Source): Source {
  const { location, failure } = source
  if (location === null || /^https?:\/\//.test(location))
    return { ...source, failure: failure && withoutPaths(failure) }
  const name = basename(location)
  return { ...source, location: name, failure: failure && withoutPaths(failure.replaceAll(location, name)) }
}

/** The folders of other files that a message names, such as that of a token; a URL's path stays. */
const withoutPaths = (text: string): string => text.replace(/(?<![\w:/.-])\/(?:[^\s/:;,'"]+\/)+/g, '')
