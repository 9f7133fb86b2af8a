import texts from '../src/tools/check/checks.json' with { type: 'json' }
import { withSection } from './generated-section.ts'

/** The page with its table of checks written again. Checks of several paths are one row. */
export function withCheckTable(page: string): string {
  const rows = Object.entries(texts).flatMap(([group, checks]) =>
    Object.entries<{ title: string; why: string }>(checks).map(
      ([name, { title, why }]) => `| \`${group}.${name}\` | ${title} | ${why} |`,
    ),
  )
  return withSection(page, 'checks', ['| id | promise | why |', '| --- | --- | --- |', ...rows].join('\n'))
}
