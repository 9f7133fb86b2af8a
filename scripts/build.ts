/** Compiles src/ into dist/, at the same depth, with its data files and the commit. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, globSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const [src, dist] = [join(root, 'src'), join(root, 'dist')]

rmSync(dist, { recursive: true, force: true })
execFileSync(join(root, 'node_modules/.bin/tsc'), ['--project', join(root, 'tsconfig.build.json')], {
  stdio: 'inherit',
})
for (const file of globSync('**/*.*', { cwd: src, withFileTypes: true })) {
  const path = join(file.parentPath, file.name)
  if (file.isFile() && !file.name.endsWith('.ts')) cpSync(path, path.replace(src, dist))
}

/** Where the clone is not at hand, such as in an image's build, whoever builds may know its commit. */
const commit = process.env.COMMIT?.slice(0, 7) || commitOf(root)
if (commit !== undefined) writeFileSync(join(dist, 'commit.js'), `export const commit = ${JSON.stringify(commit)}\n`)

/** With "-dirty" if files were changed. Undefined outside a clone, where git would report another project's commit. */
function commitOf(folder: string): string | undefined {
  if (!existsSync(join(folder, '.git'))) return undefined
  const args = ['describe', '--always', '--dirty', '--abbrev=7', '--exclude=*']
  return execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim()
}
