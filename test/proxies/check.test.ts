import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { checkDeployment } from '../../src/tools/check/run.ts'
import { hasOpenssl } from '../support/certificates.ts'
import { skipWithout } from '../support/installed-program.ts'
import { startService } from '../support/service.ts'
import { proxyNames, startProxy } from './proxies.ts'

test("'vitrine check' finds nothing wrong through any proxy of the guide", { skip: !hasOpenssl }, async (t) => {
  const service = await startService(t, { realClock: true })
  // Long enough to be compressed.
  await service.addTasks(
    Array.from({ length: 20 }, (_, i) => ({ id: `t-${i}`, title: 'Confirm the order '.repeat(9) })),
  )
  for (const name of proxyNames)
    await t.test(name, skipWithout(name), async () => {
      const proxy = await startProxy(name, [Number(new URL(service.url).port)])
      try {
        setDefaultCACertificates([...getCACertificates(), readFileSync(proxy.caFile, 'utf8')])
        const { results } = await checkDeployment({ target: { url: new URL(proxy.url) }, key: service.key })
        assert.deepEqual(
          results.filter(({ status }) => status === 'failed'),
          [],
        )
        // What only a proxy does.
        const compressed = results.find(({ id }) => id === 'rest.tasks.compressed-etag')
        assert.equal(compressed?.status, 'passed')
      } finally {
        await proxy.stop()
      }
    })
})
