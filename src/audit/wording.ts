import actions from './actions.json' with { type: 'json' }

/** Other actions are shown as stored. */
const texts: Readonly<Record<string, string>> = actions

const dataVerbs: Record<string, string> = { imported: 'Imported', synced: 'Synced', deleted: 'Deleted' }

/** A resource's rows have actions such as `orders.imported`, which is "Imported orders". */
export function actionText(action: string): string {
  const [rows, verb = ''] = action.split('.')
  return texts[action] ?? (Object.hasOwn(dataVerbs, verb) ? `${dataVerbs[verb]} ${rows}` : action)
}
