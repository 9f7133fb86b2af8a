/** All that streams have carried so far, as one text. */
export function gather(...streams: (NodeJS.ReadableStream | null)[]): () => string {
  let text = ''
  for (const stream of streams)
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
  return () => text
}
