import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { List } from '../../src/lists/definition.ts'
import type { PageRequest, Place, ReadScope } from '../../src/lists/query.ts'
import type { ListReader } from '../../src/lists/reader.ts'
import type { Resource } from '../../src/resources/define.ts'
import { connectElsewhere } from './database.ts'
import { servedStore, startOperator } from './operator.ts'

export type Item = Record<string, string | number | null>

interface Reading extends Pick<PageRequest, 'filters' | 'fields'> {
  /** One for each page; the last one for all further pages. */
  limits: readonly number[]
}

export function listOf({ list }: Resource): List {
  assert.ok(list)
  return list
}

/** A workspace, acme, whose lists are read from `store` while another connection changes them. */
export async function startLists(t: TestContext, url: string, resources?: readonly Resource[]) {
  const { store: operator, workspace } = await startOperator(t, url, resources)
  const store = await servedStore(t, url, resources)
  return { operator, store, workspaceId: workspace.id, elsewhere: await connectElsewhere(url, t) }
}

/** A list from its first page to its last; the test may act between the pages. */
export async function readPages(
  reader: ListReader,
  scope: () => ReadScope,
  { limits, ...reading }: Reading,
  between: (page: number) => Promise<void> = async () => {},
): Promise<Item[][]> {
  const pages: Item[][] = []
  let after: Place | undefined
  do {
    const limit = limits[Math.min(pages.length, limits.length - 1)] ?? 1
    const request = { ...reading, limit, ...(after !== undefined && { after }) }
    const page = await reader.page(scope(), request)
    const items = JSON.parse(`[${page.rows}]`) as Item[]
    assert.ok(items.length <= limit)
    if (page.next !== undefined) assert.equal(items.length, limit, 'only a full page has another after it')
    pages.push(items)
    // As a client brings it back.
    after = page.next === undefined ? undefined : (JSON.parse(JSON.stringify(page.next)) as Place)
    if (after !== undefined) await between(pages.length)
    assert.ok(pages.length < 500, 'there is a last page')
  } while (after !== undefined)
  return pages
}
