import { basename } from 'node:path'
import { sourceStateOf } from '../../import/source-state.ts'
import { listSources as readSources, type Source } from '../../import/sources.ts'
import type { Answer } from '../../operation.ts'
import { htmlAnswer } from '../answers.ts'
import { requireManager, type WorkspaceContext } from '../context.ts'
import { sourcesPage } from './sources-page.ts'

export async function listSources({ store, workspace, chrome, nowMs }: WorkspaceContext): Promise<Answer> {
  requireManager(workspace)
  const all = await store.read((tx) => readSources(tx, workspace.workspaceId))
  const sources = all.flatMap((source) => {
    const state = sourceStateOf(source, nowMs)
    return state === 'abandoned' ? [] : { ...withoutFolders(source), state }
  })
  return htmlAnswer(200, sourcesPage({ chrome, sources }))
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
