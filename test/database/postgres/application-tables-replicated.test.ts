import assert from 'node:assert/strict'
import { testWithPostgres as test } from '../../support/database.ts'
import { startPostgres, withClient } from '../../support/postgres-server.ts'
import { documented, serveShop, shopTables, startShop } from '../../support/shop.ts'
import { subscribe, untilApplied } from '../../support/subscription.ts'

test("an application's own tables filled by replication are shown, including the first copy", async (t) => {
  const [shop, publisher] = await Promise.all([startShop(t), startPostgres({ wal_level: 'logical' })])
  t.after(() => publisher.remove())
  const [from, to] = [publisher.url, shop.as('postgres')]
  const write = (sql: string) => withClient(from, (client) => client.query(sql))
  await write(shopTables)
  await write(`INSERT INTO shop.team (handle, title) VALUES ('deli', 'Deli'), ('bakery', 'Bakery');
      INSERT INTO shop.todo (team, subject) SELECT id, 'Order lemons' FROM shop.team WHERE handle = 'deli'`)
  await shop.install()
  await shop.asOperator(documented('own-tables-replicated.sql'))
  await shop.asOwner(documented('own-tables-replicated-enable.sql'))
  await subscribe({ from, to, publication: 'FOR TABLE shop.team, shop.todo' })
  const { titles } = await serveShop(t, shop)
  const [deli, bakery] = [await shop.createKey('deli'), await shop.createKey('bakery')]
  const shownAfter = async (sql: string) => {
    await write(sql)
    await untilApplied({ from })
    return [await titles(deli), await titles(bakery)]
  }
  assert.deepEqual([await titles(deli), await titles(bakery)], [['Order lemons'], []])
  const ofBakery = `(SELECT id FROM shop.team WHERE handle = 'bakery')`
  assert.deepEqual(await shownAfter(`UPDATE shop.todo SET team = ${ofBakery}`), [[], ['Order lemons']])
  assert.deepEqual(await shownAfter(`INSERT INTO shop.todo (team, subject) SELECT ${ofBakery}, ''`), [
    [],
    ['Order lemons'],
  ])
  assert.deepEqual(await shownAfter(`UPDATE shop.todo SET subject = 'Bake bread' WHERE subject = ''`), [
    [],
    ['Order lemons', 'Bake bread'],
  ])
  assert.deepEqual(await shownAfter(`DELETE FROM shop.todo WHERE subject = 'Order lemons'`), [[], ['Bake bread']])
  assert.deepEqual(await shownAfter('TRUNCATE shop.todo'), [[], []])
})
