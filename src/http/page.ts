import type { IncomingMessage } from 'node:http'
import type { Answer } from '../operation.ts'

/** Something served beside the API, without a key: health, the contract, the problem pages. */
export interface Page {
  matches(path: string): boolean
  answer(path: string, req: IncomingMessage): Promise<Answer>
}

export const jsonAnswer = (status: number, value: unknown, type = 'application/json'): Answer => ({
  status,
  headers: ['Content-Type', type, 'Cache-Control', 'no-store'],
  body: [Buffer.from(JSON.stringify(value))],
})
