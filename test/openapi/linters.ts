import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { runTool } from './programs.ts'

/** Every rule that Spectral has for OpenAPI, but for three. */
const SPECTRAL_RULES = {
  extends: [['spectral:oas', 'all']],
  rules: {
    'contact-properties': 'off', // Vitrine does not know an operator's address.
    'license-url': 'off', // OpenAPI 3.1 has the SPDX identifier instead, and allows one of the two.
    'openapi-tags-alphabetical': 'off', // They are in the order in which one reads.
  },
}

/** What Redocly finds in a document by its strict rules. */
export async function redoclyFaults(t: TestContext, document: string): Promise<string[]> {
  const folder = folderWith(t, { 'openapi.json': document })
  const args = ['lint', 'openapi.json', '--extends=recommended-strict', '--format=json']
  const { stdout } = await runTool('redocly', folder, args)
  return JSON.parse(stdout).problems.map((each: Record<string, string>) => `${each.ruleId}: ${each.message}`)
}

export async function spectralFaults(t: TestContext, document: string): Promise<string[]> {
  const folder = folderWith(t, { 'openapi.json': document, 'rules.json': JSON.stringify(SPECTRAL_RULES) })
  const args = ['lint', 'openapi.json', '--ruleset=rules.json', '--format=json', '--quiet']
  const { stdout } = await runTool('spectral', folder, args)
  return JSON.parse(stdout).map((each: Record<string, string>) => `${each.code}: ${each.message}`)
}

function folderWith(t: TestContext, files: Record<string, string>): string {
  const folder = temporaryFolder(t)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}
