/** What everyone serves: a hundred tasks, about 36 KB, in several scripts, in the order in which they are answered. */
export const workspaceFixture = {
  name: 'Nordwind Einkauf Zürich',
  slug: 'nordwind',
  timezone: 'Europe/Zurich',
  currencyCode: 'CHF',
  countryCode: 'CH',
}

const suppliers = [
  'Alvés & Filhos',
  '東京紡織株式会社',
  'Ørsted Tekstil',
  'Żółw i Spółka',
  'Crème & Cie',
  '上海丝绸进出口',
]
const people = [
  ['Zoë Müller', 'zoe@nordwind.example'],
  ['山田 花子', 'hanako@nordwind.example'],
  ['João Araújo', 'joao@nordwind.example'],
] as const
const books = ['home-textiles', 'garden', 'kitchen', 'linen']
const kinds = ['meeting', 'email', 'call']

const pick = <T>(list: readonly T[], i: number): T => list[i % list.length] as T

export const taskFixture = Array.from({ length: 100 }, (_, i) => {
  const supplier = pick(suppliers, i)
  const [assigneeName, assigneeEmail] = pick(people, i)
  return {
    id: `task_${String(1000 + i)}`,
    title: `Order 000000${i % 10} with ${supplier}`,
    details: 'Price holds until Friday: «€ 12’400».',
    dueAt: new Date(Date.UTC(2027, 0, 4, 8) + i * 3_600_000).toISOString(),
    bookKey: pick(books, i),
    assigneeName,
    assigneeEmail,
    sourceSessionId: `session_${4000 + i}`,
    sourceTitle: `Call, ${supplier}`,
    sourceSummary: 'Open.',
    sourceKind: pick(kinds, i),
  }
})
