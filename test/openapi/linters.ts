import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { temporaryFolder } from '../support/database.ts'
import { runTool } from './programs.ts'

/** Every rule that Spectral has for OpenAPI, but for three. */
const SPECTRAL_RULES = {
  extends: [['spectral:oas', 'all']],
  rules: {
    'contact-properties': 'off', // Who runs an instance has no address that Vitrine knows.
    'license-url': 'off', // OpenAPI 3.1 has the SPDX identifier instead, and allows one of the two.
    'openapi-tags-alphabetical': 'off', // They are in the order in which one reads.
  },
}

/** What Redocly and Spectral find in a document, by their rules. */
export async function faults(t: TestContext, document: string): Promise<string[]> {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'openapi.json'), document)
  writeFileSync(join(folder, 'rules.json'), JSON.stringify(SPECTRAL_RULES))
  const [redocly, spectral] = await Promise.all([
    runTool('redocly', folder, ['lint', 'openapi.json', '--extends=recommended-strict', '--format=json']),
    runTool('spectral', folder, ['lint', 'openapi.json', '--ruleset=rules.json', '--format=json', '--quiet']),
  ])
  return [
    ...JSON.parse(redocly.stdout).problems.map((each: Record<string, string>) => `${each.ruleId}: ${each.message}`),
    ...JSON.parse(spectral.stdout).map((each: Record<string, string>) => `${each.code}: ${each.message}`),
  ]
}
