import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8')

test("the image is labelled with the package's version, and ships what the package ships", () => {
  const containerfile = read('Containerfile')
  const { version, files } = JSON.parse(read('package.json')) as { version: string; files: string[] }
  assert.equal(/^ARG VERSION=(.+)$/m.exec(containerfile)?.[1], version)
  const [, copied = ''] = /cp -R (.*) \/image\/app/.exec(containerfile) ?? []
  const folders = files.filter((name) => /^[a-z]+$/.test(name))
  assert.deepEqual(
    folders.filter((name) => !copied.split(' ').includes(name)),
    [],
  )
})
