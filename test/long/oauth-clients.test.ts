/** Programs that connect by signing in: `npm run test:clients:install` installs them. docs/connecting.md has what people see. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { startConnectable } from '../clients/oauth/connectable.ts'
import { decide } from '../clients/oauth/person.ts'
import { signingPrograms } from '../clients/oauth/programs.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

suite('a program is given the URL alone, and its person signs in', { concurrency: 2 }, () => {
  for (const { name, version, missing, documentUrl, signIn } of signingPrograms)
    test(`${name} ${version}`, { timeout: 300_000, skip: process.env.CI === undefined && missing }, async (t) => {
      assert.equal(missing, undefined)
      const redirect_uris = ['http://localhost/callback', 'http://127.0.0.1/callback']
      const documents = documentUrl === undefined ? [] : [{ client_id: documentUrl, client_name: name, redirect_uris }]
      const connectable = await startConnectable(t, { documents })
      const connection = { url: connectable.mcpUrl, key: '', folder: temporaryFolder(t), signal: t.signal }
      const seen = await signIn(connection, async (authorization) => {
        const { searchParams } = new URL(authorization)
        if (documentUrl !== undefined) assert.equal(searchParams.get('client_id'), documentUrl)
        assert.equal(searchParams.get('resource'), connectable.mcpUrl)
        const { redirect } = await decide(connectable, authorization)
        assert.ok((await fetch(redirect)).ok)
      })
      if (seen.tools !== undefined) assert.deepEqual(seen.tools, ['get_workspace', 'list_tasks'])
      if (seen.workspace !== undefined) assert.equal(JSON.parse(seen.workspace).workspace.name, 'Acme Buying')
      if (seen.tasks !== undefined) assert.equal(JSON.parse(seen.tasks).tasks[0].id, 'task_linen')
      const keys = await connectable.service.keys.list('acme')
      assert.equal(keys.filter(({ client }) => client !== null).length, 1)
    })
})
