// The baseline. Plain JavaScript, so that neither its start nor its memory pays for type stripping.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const { status, headers, bodyBase64, keepAliveTimeoutMs, readsBody } = JSON.parse(
  readFileSync(process.env.BENCH_RESPONSE, 'utf8'),
)
const body = Buffer.from(bodyBase64, 'base64')

function answer(_req, res) {
  res.writeHead(status, headers)
  res.end(body)
}

function readThenAnswer(req, res) {
  const chunks = []
  req.on('data', (chunk) => chunks.push(chunk))
  req.on('end', () => {
    Buffer.concat(chunks)
    answer(req, res)
  })
}

createServer({ keepAliveTimeout: keepAliveTimeoutMs }, readsBody ? readThenAnswer : answer).listen(
  Number(process.env.PORT),
  '127.0.0.1',
)

// A proper end lets the runtime keep what it compiled, as Vitrine's own does.
process.once('SIGTERM', () => process.exit())
