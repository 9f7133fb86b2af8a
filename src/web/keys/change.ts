import type { Transaction } from '../../database/store.ts'
import { KeyChangeError, Keys } from '../../keys/life-cycle.ts'
import { type KeyDetail, readKeyDetail } from '../../keys/overview.ts'
import { findKey, type KeyRecord } from '../../keys/records.ts'
import { hasEnded } from '../../keys/state.ts'
import { actorOf } from '../../members/roles.ts'
import { changeAs, type WorkspaceContext } from '../context.ts'
import { redirectWithNotice } from '../flash.ts'
import { alreadySent, onlyOnce } from '../form.ts'
import { html, inQuotes } from '../html.ts'
import { paths } from '../paths.ts'
import { pageNotFound } from '../responses.ts'

export const changeKeys = <T>(context: WorkspaceContext, change: (keys: Keys, tx: Transaction) => Promise<T>) =>
  changeAs(context, 'manager', (tx) => change(new Keys(tx, actorOf(context.session)), tx))

/** Changes the key in the path. */
export const changeKey = <T>(
  context: WorkspaceContext,
  change: (keys: Keys, key: KeyRecord, tx: Transaction) => Promise<T>,
) => changeKeys(context, async (keys, tx) => change(keys, await keyAt(context, tx), tx))

/** A change that is submitted twice is applied once, and both responses confirm it. */
export async function changeAndShow(
  context: WorkspaceContext,
  done: 'key-paused' | 'key-resumed' | 'rotation-cancelled',
  change: (keys: Keys, key: KeyRecord) => Promise<unknown>,
) {
  try {
    await changeKey(context, change)
  } catch (error) {
    const isDone = error instanceof KeyChangeError && ['paused', 'not_paused', 'not_rotating'].includes(error.reason)
    if (!isDone) throw error
  }
  return redirectWithNotice(context, paths.key(context.workspace.slug, keyIdIn(context)), done)
}

/** A form that is sent again creates nothing, and leads to the key that it created the first time. */
export async function createOnce<Created extends { key: KeyRecord }>(
  context: WorkspaceContext,
  tx: Transaction,
  form: URLSearchParams,
  create: () => Promise<Created>,
): Promise<Created> {
  const remember = await onlyOnce(context, tx, form, async ({ keyId }) => {
    const { id, label, prefix } = await keyAt({ ...context, keyId }, tx)
    return alreadySent(
      html`The first time, it created the key ${inQuotes(label)} (${prefix}…), which is shown only once. If you did not copy it, rotate it.`,
      { href: paths.key(context.workspace.slug, id), text: 'See this key' },
    )
  })
  const created = await create()
  await remember({ keyId: created.key.id })
  return created
}

function keyIdIn({ keyId }: WorkspaceContext): string {
  if (keyId === undefined) throw pageNotFound()
  return keyId
}

export async function keyAt(context: WorkspaceContext, tx: Transaction): Promise<KeyRecord> {
  const key = await findKey(tx, keyIdIn(context))
  if (key?.workspaceId !== context.workspace.workspaceId) throw pageNotFound()
  return key
}

export async function readKey(context: WorkspaceContext): Promise<KeyDetail> {
  const { store, workspace, frame } = context
  const key = await store.read((tx) => readKeyDetail(tx, workspace.workspaceId, keyIdIn(context), frame))
  if (key === undefined) throw pageNotFound()
  return key
}

export async function readWorkingKey(context: WorkspaceContext): Promise<KeyDetail> {
  const key = await readKey(context)
  if (hasEnded(key)) throw new KeyChangeError('ended', `the key ${key.id} has ended`)
  return key
}
