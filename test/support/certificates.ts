import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { temporaryFolder } from './temporary-folder.ts'

export const hasOpenssl = spawnSync('openssl', ['version']).status === 0

export interface Certificate {
  key: string
  cert: string
  keyFile: string
  certFile: string
}

/** An untrusted, self-signed certificate. */
export const selfSigned = (t: TestContext, host?: string): Certificate => writeSelfSigned(temporaryFolder(t), host)

export function writeSelfSigned(folder: string, host = 'IP:127.0.0.1'): Certificate {
  const line = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout x.key -out x.crt -subj /CN=vitrine-test -days 2 -addext subjectAltName=${host}`
  const { status, stderr } = spawnSync('openssl', line.split(' '), { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  const [keyFile, certFile] = [join(folder, 'x.key'), join(folder, 'x.crt')]
  return { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certFile, 'utf8'), keyFile, certFile }
}
