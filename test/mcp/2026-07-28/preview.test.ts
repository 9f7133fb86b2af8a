import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAgentPreview } from '../../../src/mcp/2026-07-28/preview.ts'
import { resources } from '../../../src/resources/index.ts'
import { modernHeaders, modernRequest, PATH } from '../../support/modern-client.ts'
import { startService } from '../../support/service.ts'

async function startPreview(t: Parameters<typeof startService>[0]) {
  const service = await startService(t)
  const { workspaceId, time, store } = service
  const access = (permissions: string[]) => ({
    ...{ workspaceId, permissions: new Set(permissions) },
    ...{ available: true, only: null, now: time.now },
  })
  return { service, access, preview: createAgentPreview(resources, store) }
}

test('a preview is the response to a key with these permissions, byte by byte, and always current', async (t) => {
  const { service, access, preview } = await startPreview(t)
  const expect = async (permissions: string[]) => {
    const { token } = await service.createKey({ permissions })
    const ask = async (method: string, name?: string) => {
      const headers = { authorization: `Bearer ${token}`, ...modernHeaders(method, name) }
      const params = name === undefined ? {} : { name }
      return (await service.rpc(modernRequest(method, params), headers, PATH)).text()
    }
    assert.equal(String(await preview.listTools(access(permissions))), await ask('tools/list'))
    const discovered = JSON.parse(await ask('server/discover')) as { result: { instructions: string } }
    assert.equal(preview.instructions(access(permissions)), discovered.result.instructions)
    for (const { permission, tool } of resources.filter((each) => permissions.includes(each.permission)))
      assert.equal(
        String(await preview.callTool(tool.name, access(permissions))),
        await ask('tools/call', tool.name),
        permission,
      )
  }
  await expect(['workspace:read'])
  await service.addTasks([{ id: 'one', title: 'Prüfe <b>alles</b> 🧵', details: 'x'.repeat(10_000) }])
  await expect(['tasks:read', 'workspace:read'])
  await service.addTasks([{ id: 'two', title: 'Second' }])
  await expect(['tasks:read'])
})

test('a preview of an archived workspace shows that it is not available', async (t) => {
  const { access, preview } = await startPreview(t)
  const body = await preview.callTool('get_workspace', { ...access(['workspace:read']), available: false })
  assert.match(String(body), /The workspace is not available/)
})
