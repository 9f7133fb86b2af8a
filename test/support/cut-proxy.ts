import { connect, createServer, type Socket } from 'node:net'
import { listen } from './listen.ts'

/** A network between two programs, which can be cut or go silent. */
export interface CutProxy {
  port: number
  /** How many are open at the moment. */
  connections(): number
  /** Breaks every connection. */
  cut(): void
  /** Discards all data, both ways and including the end, until switched back; those connections never recover. */
  setSilent(isSilent: boolean): void
  /** As if the server were stopped: connections are broken, new ones immediately, until switched back. */
  setDown(isDown: boolean): void
  close(): void
}

export async function startCutProxy(targetPort: number): Promise<CutProxy> {
  const sockets = new Set<Socket>()
  let isSilent = false
  let isDown = false
  const server = createServer({ allowHalfOpen: true }, (near) => {
    if (isDown) return near.resetAndDestroy()
    const far = connect({ port: targetPort, host: '127.0.0.1', allowHalfOpen: true })
    // What was lost in silence cannot be made up for: such a connection stays silent.
    let isLost = false
    const pass = (to: Socket) => (chunk: Buffer) => {
      isLost ||= isSilent
      if (!isLost) to.write(chunk)
    }
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.on('data', pass(other)).on('end', () => {
        isLost ||= isSilent
        if (!isLost) socket.end()
      })
      socket
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(socket)
          other.destroy()
        })
    }
  })
  const port = await listen(server)
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port,
    connections: () => sockets.size / 2,
    cut,
    setSilent: (silent) => {
      isSilent = silent
    },
    setDown(down) {
      isDown = down
      if (isDown) cut()
    },
    close() {
      server.close()
      cut()
    },
  }
}
