import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable, type Transform } from 'node:stream'
import { createGunzip, createInflateRaw, createZstdDecompress } from 'node:zlib'
import { ArchiveError } from './limits.ts'

/** Larger than the runtime's own: each chunk costs a call. */
const CHUNK_BYTES = 256 * 1024

const builtIn = {
  gzip: () => createGunzip({ chunkSize: CHUNK_BYTES }),
  deflate: () => createInflateRaw({ chunkSize: CHUNK_BYTES }),
  zstd: () => createZstdDecompress({ chunkSize: CHUNK_BYTES }),
} satisfies Record<string, () => Transform>

/** The runtime does not have these; their programs are on nearly every machine that has such files. */
const programs = { xz: 'xz', bzip2: 'bzip2' }

export type Compression = keyof typeof builtIn | keyof typeof programs

export async function* decompressed(compression: Compression, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const source = Readable.from(chunks, { objectMode: false })
  try {
    yield* compression in programs
      ? throughProgram(programs[compression as keyof typeof programs], source)
      : through(builtIn[compression as keyof typeof builtIn](), source)
  } finally {
    source.destroy()
    // Until then it may still read from the chunks.
    if (!source.closed) await once(source, 'close')
  }
}

async function* through(transform: Transform, source: Readable): AsyncGenerator<Buffer> {
  source.once('error', (error) => transform.destroy(error))
  source.pipe(transform)
  try {
    yield* transform as AsyncIterable<Buffer>
  } catch (error) {
    const isDamage = /^(?:Z_|ZSTD_)/.test(String((error as NodeJS.ErrnoException).code))
    throw isDamage ? new ArchiveError('is damaged, or cut off') : error
  } finally {
    transform.destroy()
  }
}

async function* throughProgram(name: string, source: Readable): AsyncGenerator<Buffer> {
  const child = spawn(name, ['-dc'], { stdio: ['pipe', 'pipe', 'ignore'] })
  const ended = once(child, 'close').then(
    ([code]) => (code === 0 ? undefined : new ArchiveError('is damaged, or cut off')),
    () => new ArchiveError(`can be read only where the program ${name} is installed`),
  )
  // It ends before it has read everything if its input is damaged.
  child.stdin.on('error', () => {})
  source.once('error', () => child.kill())
  source.pipe(child.stdin)
  try {
    yield* child.stdout as AsyncIterable<Buffer>
    const failure = await ended
    if (failure !== undefined) throw source.errored ?? failure
  } finally {
    child.kill()
  }
}
