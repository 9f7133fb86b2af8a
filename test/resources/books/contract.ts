import { arrayOf, object, reference } from '../../../src/lib/schema.ts'
import { column, creation } from '../../../src/lists/column.ts'
import { createList } from '../../../src/lists/definition.ts'
import { defineResource, rowFields } from '../../../src/resources/define.ts'
import { countable, toolArguments } from '../../../src/resources/list-arguments.ts'

const MAX_BOOKS = 50

const columns = {
  id: column('text', { maxLength: 100, description: 'Stable identifier of the book.' }),
  title: column('text', { maxLength: 300, description: 'The title as it is printed.' }),
  author: column('text', { maxLength: 200, nullable: true, description: 'Who wrote it, when known.' }),
  pages: column('integer', {
    minimum: 1,
    maximum: 100_000,
    nullable: true,
    description: 'How many pages it has, when known.',
  }),
  createdAt: creation({ description: 'When the book was added.' }),
}

const filters = ['author']
const list = createList(
  { name: 'books', singular: 'book', columns },
  {
    order: ['author', 'title'],
    filters,
    search: ['title', 'author'],
    limit: MAX_BOOKS,
    label: 'title',
    countBy: Object.fromEntries(countable(columns).map((field) => [field, [field]])),
  },
)

/** Everything that a new resource with its own list needs. */
export const books = defineResource({
  name: 'books',
  path: '/books',
  permission: 'books:read',
  summary: 'List books',
  description: `Returns the books of the workspace by author and title, at most ${MAX_BOOKS}.`,
  body: object({ books: arrayOf(reference('Book'), { maxItems: MAX_BOOKS }) }),
  schemas: { Book: object(rowFields(columns), { description: 'A book.' }) },
  example: { books: [{ id: 'b1', title: 'Os Maias', author: 'Eça de Queirós', pages: 720 }] },
  tool: {
    name: 'list_books',
    title: 'List books',
    description: 'List the books of the workspace by author and title. Returns JSON.',
    ...toolArguments(list, filters),
  },
  list,
})
