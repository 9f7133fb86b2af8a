import texts from '../src/tools/check/checks.json' with { type: 'json' }
import { withSection } from './generated-section.ts'

/** The page with its table of checks written again. Checks of several paths are one row. */
export function withCheckTable(page: string): string {
  const rows = Object.entries(texts).flatMap(([group, checks]) =>
    Object.entries<{ title: string }>(checks).map(([name, { title }]) => `| \`${group}.${name}\` | ${title} |`),
  )
  return withSection(page, 'checks', ['| id | promise |', '| --- | --- |', ...rows].join('\n'))
}
