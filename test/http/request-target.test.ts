import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isHost, targetPath, targetQuery } from '../../src/http/request-target.ts'

const targets: [target: string, path: string | undefined, query: string][] = [
  ['/tasks', '/tasks', ''],
  ['/tasks?a=1&b=2', '/tasks', 'a=1&b=2'],
  ['/%74asks', '/tasks', ''],
  ['/a%2Fb', '/a%2Fb', ''],
  ['/caf%C3%A9', '/café', ''],
  ['/%zz', undefined, ''],
  ['/?%zz=1', '/', '%25zz=1'],
  ['http://example.com/tasks?a=1', '/tasks', 'a=1'],
  ['ftp://example.com/tasks', 'ftp://example.com/tasks', ''],
  ['*', '*', ''],
]

for (const [target, path, query] of targets)
  test(`the path and the query of ${target}`, () => {
    assert.equal(targetPath(target), path)
    assert.equal(String(targetQuery(target)), query)
  })

test('a host is a name or an address, with or without a port', () => {
  for (const host of ['x', 'v.example:443', '127.0.0.1', '[::1]', '[2001:db8::1]:8080', 'x:', 'x:65535'])
    assert.ok(isHost(host), host)
  for (const host of ['', 'a b', 'a,b', 'a/b', 'u@x', 'x:65536', 'x:1e3', '[::1', '[1::2::3]', '::1', 'é'])
    assert.ok(!isHost(host), host)
})
