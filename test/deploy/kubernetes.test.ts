import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { settingNames } from '../../src/config.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = join(import.meta.dirname, '../..')
const text = readFileSync(join(root, 'deploy/kubernetes/vitrine.yaml'), 'utf8')
const guide = readFileSync(join(root, 'docs/deploying.md'), 'utf8')

interface Container {
  args?: string[]
  image: string
  env?: { name: string }[]
  securityContext: object
  volumeMounts: { name: string }[]
  [probe: `${string}Probe`]: { httpGet: { path: string } }
}

interface Pod {
  enableServiceLinks: boolean
  terminationGracePeriodSeconds: number
  securityContext: { runAsNonRoot: boolean }
  initContainers?: Container[]
  containers: [Container]
  volumes: { name: string }[]
}

// biome-ignore lint/suspicious/noExplicitAny: the types of Kubernetes are checked below.
type Manifest = Record<string, any>
const manifests = parseAllDocuments(text).map((document): Manifest => {
  assert.deepEqual(document.errors, [])
  return document.toJS()
})
const ofKind = (kind: string): Manifest => manifests.find((each) => each.kind === kind) ?? assert.fail(kind)
const pods: Pod[] = [ofKind('Deployment').spec.template.spec, ofKind('CronJob').spec.jobTemplate.spec.template.spec]
const { data } = ofKind('ConfigMap') as { data: Record<string, string> }

/** The types are generated from the OpenAPI document of Kubernetes. In a literal, an unknown member is an error. */
function checkTypes(t: TestContext, checked: readonly Manifest[]): string {
  const folder = temporaryFolder(t)
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const lines = checked.map((manifest, at) => {
    const [group = '', version = 'v1'] = manifest.apiVersion.includes('/') ? manifest.apiVersion.split('/') : ['core']
    const module = `kubernetes-types/${group.replace(/\.k8s\.io$/, '')}/${version}.d.ts`
    return `import type { ${manifest.kind} as Kind${at} } from '${module}'
export const manifest${at}: Kind${at} = ${JSON.stringify(manifest, undefined, 2)}`
  })
  writeFileSync(join(folder, 'manifests.ts'), lines.join('\n'))
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--ignoreConfig', '--module', 'nodenext', '--types', '']
  const { status, stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), [...options, 'manifests.ts'], {
    ...{ cwd: folder, encoding: 'utf8' },
  })
  assert.ok(status === 0 || stdout !== '')
  return stdout
}

test('every manifest has the members and types that Kubernetes defines', (t) => {
  assert.equal(checkTypes(t, manifests), '')
})

test('every setting exists, and the guide creates every secret file', () => {
  const own = pods.flatMap(({ containers }) => containers[0].env ?? [])
  for (const name of [...Object.keys(data), ...own.map(({ name }) => name)])
    assert.ok(name === 'NODE_COMPILE_CACHE' || settingNames.includes(name), name)
  const files = [...text.matchAll(/\/run\/secrets\/vitrine\/([\w-]+)/g)].map(([, file = '']) => file)
  assert.deepEqual([...new Set(files)].sort(), ['database-url', 'sync-token'])
  for (const file of files) assert.ok(guide.includes(`--from-literal=${file}=`) || guide.includes(`=${file}=`), file)
})

test('probes, drain and grace period fit the server', () => {
  const [server, sync] = pods as [Pod, Pod]
  const [{ readinessProbe, livenessProbe, startupProbe }] = server.containers
  assert.equal(readinessProbe?.httpGet.path, '/readyz')
  // Without its database, a server must not be restarted.
  assert.deepEqual([livenessProbe?.httpGet.path, startupProbe?.httpGet.path], ['/healthz', '/healthz'])
  assert.ok(server.terminationGracePeriodSeconds > Number(data.DRAIN_SECONDS) + 10)
  assert.equal(sync.containers[0].args?.[1], 'sync')
})

test('every container is hardened, has the same image, and mounts existing volumes', () => {
  for (const pod of pods) {
    assert.equal(pod.securityContext.runAsNonRoot, true)
    // The service of that name would set VITRINE_PORT.
    assert.equal(pod.enableServiceLinks, false)
    for (const { securityContext, volumeMounts, image } of [...(pod.initContainers ?? []), ...pod.containers]) {
      assert.deepEqual(securityContext, {
        ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
      })
      const names = pod.volumes.map(({ name }) => name)
      assert.deepEqual(
        volumeMounts.map(({ name }) => name),
        names,
      )
      assert.match(image, /^registry\.example\.com\/vitrine:\d/)
    }
  }
})
