import { connect, createServer, type Socket } from 'node:net'
import { listen } from './listen.ts'

/** A network between two programs, which can be cut or go silent. */
export interface CutProxy {
  port: number
  /** How many are open at the moment. */
  connections(): number
  /** Breaks every connection. */
  cut(): void
  /** Discards what is sent, both ways, until it is told otherwise; those connections never recover. */
  setSilent(isSilent: boolean): void
  /** As if the server were stopped: connections are broken, new ones at once, until it is told otherwise. */
  setDown(isDown: boolean): void
  close(): void
}

export async function startCutProxy(targetPort: number): Promise<CutProxy> {
  const sockets = new Set<Socket>()
  let isSilent = false
  let isDown = false
  const server = createServer((near) => {
    if (isDown) return near.resetAndDestroy()
    const far = connect(targetPort, '127.0.0.1')
    // What was lost in silence cannot be made up for: such a connection stays silent.
    let isLost = false
    const pass = (to: Socket) => (chunk: Buffer) => {
      isLost ||= isSilent
      if (!isLost) to.write(chunk)
    }
    near.on('data', pass(far)).on('close', () => far.destroy())
    far.on('data', pass(near)).on('close', () => near.destroy())
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => sockets.delete(socket))
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
