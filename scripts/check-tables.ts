import type { OpenApi } from '../src/lib/openapi.ts'
import { Contract } from '../src/tools/check/contract.ts'
import { type Diagnosis, diagnoses, headerChanged, headerRemoved } from '../src/tools/check/diagnosis.ts'
import { allChecks } from '../src/tools/check/run.ts'
import { withSection } from './generated-section.ts'

/** The page with its tables written again: every check, and every cause that a report can name. */
export function withCheckTables(page: string, document: object): string {
  const checks = allChecks(new Contract(document as OpenApi)).map(
    ({ id, title, why }) => `| \`${id}\` | ${title} | ${why} |`,
  )
  const causes = [...Object.values(diagnoses), headerRemoved('…'), headerChanged('…')].map(
    ({ cause, fix, see }) => `| ${cause} | ${fix} | ${link(see)} |`,
  )
  const withChecks = withSection(
    page,
    'checks',
    ['| id | promise | why |', '| --- | --- | --- |', ...checks].join('\n'),
  )
  return withSection(withChecks, 'causes', ['| cause | fix | see |', '| --- | --- | --- |', ...causes].join('\n'))
}

function link(see: Diagnosis['see']): string {
  const [, rfc, section] = /rfc(\d+)(?:#section-(.+))?$/.exec(see) ?? []
  if (rfc !== undefined) return `[RFC ${rfc}${section === undefined ? '' : `, ${section}`}](${see})`
  const page = see.replace(/^docs\//, '')
  return `[${page}](${page})`
}
