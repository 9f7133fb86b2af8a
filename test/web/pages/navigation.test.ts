// Run once: a path leads to its section, whatever the database.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OVERVIEW, sectionOf, startSignedIn } from '../../support/person.ts'

test('the navigation highlights the section that a page, or an error on it, belongs to', async (t) => {
  const { service, browser } = await startSignedIn(t)
  const { id } = await service.createKey()
  const expected: [path: string, section: string | undefined, status?: number][] = [
    ['', 'Overview'],
    ['/keys', 'API keys'],
    ['/keys/new', 'API keys'],
    [`/keys/${id}/requests`, 'API keys'],
    ['/requests', 'Requests'],
    ['/requests.csv?outcome=x', 'Requests', 400],
    ['/audit', 'Audit log'],
    ['/audit.csv?from=x', 'Audit log', 400],
    ['/notices', 'Notices'],
    ['/members/new', 'Members'],
    ['/members/none', 'Members', 404],
    ['/workspace', 'Workspace'],
    ['/workspaces', undefined],
    ['/sign-ins', undefined],
  ]
  for (const [path, section, status = 200] of expected) {
    const page = await browser.get(OVERVIEW + path)
    assert.deepEqual([page.status, sectionOf(page)], [status, section], path)
  }
})
