import { setTimeout as delay } from 'node:timers/promises'
import { VitrineError } from 'vitrine-client'

/**
 * A page of tasks, earliest due first. Tasks have only the requested `fields`.
 * @typedef {object} Page
 * @property {import('vitrine-client').Task[]} tasks
 * @property {number} total on all pages
 * @property {true} [totalIsMinimum] there are more than `total`
 * @property {string | null} nextCursor for the next page, with the same question
 * @property {string} etag
 * @property {true} [unchanged] nothing changed since the etag in `ifNoneMatch`; the page then has only this and its etag
 */

/**
 * GET /tasks returns the first 100 tasks. The MCP tool list_tasks finds others: docs/mcp.md lists its arguments.
 * @param {import('vitrine-client').VitrineOptions} options
 */
export function createQuestions({ url = '', key, timeoutMs = 30_000, maxWaitMs = 60_000 }) {
  const endpoint = `${url.replace(/\/+$/, '')}/v2/mcp`
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }

  /** @param {object} question */
  async function post(question) {
    const call = { method: 'tools/call', params: { name: 'list_tasks', arguments: question } }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...call })
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      // A redirect is not followed, so that the key reaches no other host.
      const response = await fetch(endpoint, { method: 'POST', headers, body, signal, redirect: 'manual' })
      /** @type {any} */
      const json = await response.json()
      return { response, json }
    } catch (cause) {
      throw new VitrineError(`${endpoint} did not respond with JSON`, { cause })
    }
  }

  /**
   * @param {object} question the arguments of list_tasks
   * @returns {Promise<Page>}
   */
  return async (question) => {
    let { response, json } = await post(question)
    const waitMs = Number(response.headers.get('retry-after')) * 1000
    if (response.status === 429 && waitMs <= maxWaitMs) {
      await delay(waitMs)
      ;({ response, json } = await post(question))
    }
    const text = json.result?.content?.[0]?.text
    if (response.status === 200 && text !== undefined && !json.result.isError) return JSON.parse(text)
    const { code, detail, hint } = json
    const problem = code && `${response.status} ${code}: ${detail} ${hint}`
    throw new VitrineError(problem ?? json.error?.message ?? text ?? `${endpoint} did not respond as Vitrine does`)
  }
}
