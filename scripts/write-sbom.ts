/** Writes the bill of materials of what ships into sbom.cdx.json. */
import { writeFileSync } from 'node:fs'
import { sbom } from './sbom.ts'

const document = sbom()
writeFileSync(new URL('../sbom.cdx.json', import.meta.url), `${JSON.stringify(document, null, 2)}\n`)
process.stderr.write(`Wrote sbom.cdx.json: ${document.components.length} components.\n`)
