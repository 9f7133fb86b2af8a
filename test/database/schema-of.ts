import { type Elsewhere, engineUnderTest } from '../support/database.ts'

/** A whole schema, except the order of columns and the layout of statements. */
export async function schemaOf(elsewhere: Elsewhere): Promise<string[]> {
  if (engineUnderTest() === 'sqlite') {
    const rows = await elsewhere.all<{ type: string; name: string; sql: string | null }>(
      'SELECT type, name, sql FROM sqlite_schema',
    )
    return rows.map(({ type, name, sql }) => `${type} ${name} ${normalized(type, sql ?? '')}`).sort()
  }
  const rows = await elsewhere.all<{ what: string }>(
    `SELECT 'column ' || concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default, is_identity) AS what
         FROM information_schema.columns WHERE table_schema = 'vitrine'
         UNION SELECT 'index ' || indexdef FROM pg_indexes WHERE schemaname = 'vitrine'
         UNION SELECT 'constraint ' || conrelid::regclass || conname || pg_get_constraintdef(oid) FROM pg_constraint
               WHERE connamespace = 'vitrine'::regnamespace AND contype <> 'n'
         UNION SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
         UNION SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'vitrine'::regnamespace`,
  )
  return rows.map(({ what }) => normalized('', what)).sort()
}

/** A column that was added later comes after the others, and SQLite quotes renamed objects. */
function normalized(type: string, sql: string): string {
  const plain = sql
    .replaceAll(/--.*/g, '')
    .replaceAll('"', '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([(),]) ?/g, '$1')
  if (type !== 'table') return plain
  const [open, close] = [plain.indexOf('('), plain.lastIndexOf(')')]
  const parts = plain.slice(open + 1, close).split(/,(?![^(]*\))/)
  return `${plain.slice(0, open)}(${parts.sort().join(', ')})${plain.slice(close + 1)}`
}
