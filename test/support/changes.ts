import type { OperatorStore, Transaction } from '../../src/database/store.ts'
import * as sources from '../../src/import/sources.ts'
import * as members from '../../src/members/members.ts'
import { membersOf } from '../../src/members/records.ts'
import * as links from '../../src/members/sign-in-link.ts'
import * as rows from '../../src/resources/rows.ts'
import { workspaceOrThrow } from '../../src/workspaces/records.ts'
import * as workspaces from '../../src/workspaces/workspaces.ts'

/** Changes, each in a transaction of its own. */
const alone =
  <Given extends unknown[], Result>(change: (tx: Transaction, ...given: Given) => Promise<Result>) =>
  (store: Pick<OperatorStore, 'transaction'>, ...given: Given): Promise<Result> =>
    store.transaction((tx) => change(tx, ...given))

export const createWorkspace = alone(workspaces.createWorkspace)
export const updateWorkspace = alone(workspaces.updateWorkspace)
export const archiveWorkspace = alone(workspaces.archiveWorkspace)
export const restoreWorkspace = alone(workspaces.restoreWorkspace)
export const addMember = alone(members.addMember)
export const changeRole = alone(members.changeRole)
export const removeMember = alone(members.removeMember)
export const createSignInLink = alone(links.createSignInLink)
export const deleteRow = alone(rows.deleteRow)
export const recordFailure = alone(sources.recordFailure)

export const listMembers = (store: Pick<OperatorStore, 'read'>, slug: string) =>
  store.read(async (tx) => membersOf(tx, (await workspaceOrThrow(tx, slug)).id))
