import { DAY_MS, HOUR_MS } from '../lib/duration.ts'
import { emptyTask, type TaskRow } from '../resources/tasks/columns.ts'

const people = {
  priya: ['Priya Raman', 'priya@northwind.example'],
  tom: ['Tom Ashworth', 'tom@northwind.example'],
  ines: ['Inês Carvalho', 'ines@northwind.example'],
  yuki: ['Yuki Tanabe', 'yuki@northwind.example'],
} as const

const sessions = {
  alves: ['session_alves', 'Supplier call, Alvés & Filhos', 'Price held until Friday; quantity still open.', 'meeting'],
  range: [
    'session_range',
    'Spring range review',
    'Twelve lines kept, four dropped, two to be costed again.',
    'meeting',
  ],
  stock: ['session_stock', 'Weekly stock run', 'Cover below four weeks on nine lines.', 'report'],
  audit: ['session_audit', 'Factory audit, Porto', 'Two minor findings, both with a date.', 'audit'],
} as const

interface Sketch {
  title: string
  details?: string
  /** Days from today, due at 17:00. */
  due?: number
  book?: 'home-textiles' | 'kitchen' | 'garden' | 'lighting'
  who?: keyof typeof people
  from?: keyof typeof sessions
  snoozedHours?: number
  status?: 'completed' | 'cancelled'
}

const sketches: Sketch[] = [
  { title: 'Chase the signed terms from Alvés & Filhos', due: -6, book: 'home-textiles', who: 'priya', from: 'alves' },
  { title: 'Answer the duty query on the oak boards', due: -4, book: 'kitchen', who: 'tom', details: 'HS code 4419.' },
  { title: 'Return the faulty lantern samples', due: -2, book: 'lighting', who: 'yuki' },
  { title: 'Close the two audit findings with Porto', due: -1, book: 'kitchen', who: 'ines', from: 'audit' },
  {
    title: 'Approve the linen lab dips',
    due: 0,
    book: 'home-textiles',
    who: 'priya',
    details: 'Colours 4 and 7 only.',
  },
  { title: 'Confirm the spring linen order', due: 0, book: 'home-textiles', who: 'priya', from: 'alves' },
  { title: 'Reorder enamel mugs: 3 weeks of cover left', due: 0, book: 'kitchen', who: 'tom', from: 'stock' },
  { title: 'Send the café chairs for load testing', due: 0, book: 'garden', who: 'yuki' },
  { title: 'Cost the two doubtful lines again', due: 1, who: 'ines', from: 'range' },
  { title: 'Book the container for week 49', due: 1, book: 'garden', who: 'tom' },
  { title: 'Brief the photographer on the table range', due: 2, book: 'kitchen', who: 'ines' },
  {
    title: 'Agree the price of recycled glass with Müller',
    due: 2,
    book: 'lighting',
    who: 'yuki',
    details: 'Ask for € 4.20.',
  },
  { title: 'Check the care labels in all five languages', due: 3, book: 'home-textiles', who: 'priya' },
  { title: 'Choose the third garden supplier', due: 3, book: 'garden', from: 'range' },
  { title: 'Plan the visit to 東京 in January', due: 4, book: 'kitchen', who: 'yuki' },
  { title: 'Sign off the gift-box artwork', due: 5, book: 'kitchen', who: 'ines' },
  { title: 'Forecast the spring cushions', due: 6, book: 'home-textiles', who: 'priya', from: 'stock' },
  { title: 'Negotiate the rebate with Lumière SARL', due: 7, book: 'lighting', who: 'yuki' },
  { title: 'Review the carrier rates', due: 9, who: 'tom' },
  { title: 'Order fire certificates for the throws', due: 11, book: 'home-textiles', who: 'priya' },
  { title: 'Prepare the open-to-buy for the board', due: 14, who: 'ines', details: 'In the reporting currency.' },
  { title: 'Renew the framework with Nørgaard', due: 21, book: 'lighting', who: 'yuki' },
  { title: 'Set the summer options', due: 30, book: 'garden', who: 'tom', from: 'range' },
  { title: 'Write down what we learned from the tile launch', who: 'ines' },
  { title: 'Find a second source for beeswax wraps', book: 'kitchen' },
  { title: 'Tidy the supplier contact list' },
  { title: 'Ask legal about the packaging levy', who: 'tom' },
  { title: 'Collect ideas for the lighting sale', book: 'lighting' },
  { title: 'Follow up the bamboo quote', due: 1, book: 'kitchen', who: 'tom', snoozedHours: 20 },
  { title: 'Look at the parasol returns again', due: 2, book: 'garden', who: 'yuki', snoozedHours: 48 },
  { title: 'Decide on the velvet colourways', due: 5, book: 'home-textiles', who: 'priya', snoozedHours: 72 },
  { title: 'Ask for the new mill’s references', book: 'home-textiles', snoozedHours: 100 },
  { title: 'Check whether the kettle recall affects us', due: 0, book: 'kitchen', who: 'ines', snoozedHours: -3 },
  { title: 'Ring Garðar about the wool price', due: 3, book: 'home-textiles', who: 'priya', snoozedHours: -20 },
  { title: 'Approve the Christmas top-up', due: -3, who: 'ines', status: 'completed' },
  { title: 'Pay the deposit for the lanterns', due: -5, book: 'lighting', who: 'yuki', status: 'completed' },
  { title: 'Share the stock run with stores', due: -1, who: 'tom', from: 'stock', status: 'completed' },
  { title: 'Agree the linen widths', due: 2, book: 'home-textiles', who: 'priya', from: 'alves', status: 'completed' },
  { title: 'Order the plastic plant pots', due: 4, book: 'garden', who: 'tom', status: 'cancelled' },
  { title: 'Trial the scented candles', book: 'lighting', status: 'cancelled' },
]

export function demoTasks(now: number): TaskRow[] {
  const today = Math.floor(now / DAY_MS) * DAY_MS
  return sketches.map((sketch, i) => {
    const [assigneeName, assigneeEmail] = sketch.who === undefined ? [null, null] : people[sketch.who]
    const [sourceSessionId, sourceTitle, sourceSummary, sourceKind] =
      sketch.from === undefined ? [null, null, null, null] : sessions[sketch.from]
    return {
      ...emptyTask,
      id: `task_${String(i + 1).padStart(3, '0')}`,
      title: sketch.title,
      details: sketch.details ?? null,
      dueAt: sketch.due === undefined ? null : instant(today + sketch.due * DAY_MS + 17 * HOUR_MS),
      bookKey: sketch.book ?? null,
      assigneeName,
      assigneeEmail,
      sourceSessionId,
      sourceTitle,
      sourceSummary,
      sourceKind,
      status: sketch.status ?? 'open',
      snoozedUntil: sketch.snoozedHours === undefined ? null : instant(now + sketch.snoozedHours * HOUR_MS),
      createdAt: instant(now - (sketches.length - i) * 5 * HOUR_MS),
    }
  })
}

const instant = (ms: number) => new Date(ms).toISOString()
