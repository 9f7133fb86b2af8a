import assert from 'node:assert/strict'
import { connectElsewhere, testWithPostgres as test } from '../../support/database.ts'
import { openEditForm, typedIn } from '../../support/key-forms.ts'
import { KEYS, signedIn } from '../../support/person.ts'
import { startService } from '../../support/service.ts'
import { waitUntil } from '../../support/wait.ts'

test('a form that arrives while another replica changes the key is shown the change', async (t) => {
  const service = await startService(t, { engine: 'postgres' })
  const browser = await signedIn(service)
  const { id } = await service.createKey({ label: 'report' })
  const form = await openEditForm(browser, id)
  const replica = await connectElsewhere(service.databaseUrl, t)

  await replica.run('BEGIN')
  await replica.run(`UPDATE vitrine.api_keys SET label = 'weekly' WHERE id = '${id}'`)
  const sent = browser.submit(`${KEYS}/${id}/edit`, { ...form, label: 'monthly' })
  const observer = await connectElsewhere(service.databaseUrl, t)
  const waiting = `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
  await waitUntil(async () => (await observer.all(waiting)).length > 0)
  await replica.run('COMMIT')

  const response = await sent
  assert.match(response.text, /weekly/)
  assert.equal(typedIn(response.text, 'label'), 'monthly')
  assert.equal((await service.keys.list('acme')).find((key) => key.id === id)?.label, 'weekly')
})
