import { arrayOf, object, reference } from '../../../src/lib/schema.ts'
import { creation, integer, text } from '../../../src/lists/column.ts'
import { defineResource, publishedFields } from '../../../src/resources/define.ts'
import { defineList } from '../../../src/resources/list.ts'
import { toolArguments } from '../../../src/resources/list-arguments.ts'

const MAX_BOOKS = 50

const columns = {
  id: text({ maxLength: 100, description: 'Stable identifier of the book.' }),
  title: text({ maxLength: 300, description: 'The title as it is printed.' }),
  author: text({ maxLength: 200, nullable: true, description: 'Who wrote it, when known.' }),
  pages: integer({ minimum: 1, maximum: 100_000, nullable: true, description: 'How many pages it has, when known.' }),
  createdAt: creation({ published: false, description: 'When the book was added.' }),
}

const list = defineList(
  { name: 'books', singular: 'book', version: 1, columns },
  {
    order: ['author', 'title'],
    filters: ['author'],
    search: ['title', 'author'],
    limit: MAX_BOOKS,
    label: 'title',
  },
)

/** Everything that a new resource with its own table needs. */
export const books = defineResource({
  name: 'books',
  path: '/books',
  permission: 'books:read',
  summary: 'List books',
  description: `Returns the books of the workspace by author and title, at most ${MAX_BOOKS}.`,
  body: object({ books: arrayOf(reference('Book'), { maxItems: MAX_BOOKS }) }),
  schemas: { Book: object(publishedFields(columns), { description: 'A book.' }) },
  example: { books: [{ id: 'b1', title: 'Os Maias', author: 'Eça de Queirós', pages: 720 }] },
  tool: {
    name: 'list_books',
    title: 'List books',
    description: 'List the books of the workspace by author and title. Returns JSON.',
    ...toolArguments(list.table),
  },
  list,
})
