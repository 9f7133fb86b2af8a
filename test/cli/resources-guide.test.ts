import assert from 'node:assert/strict'
import { test } from 'node:test'
import { documentedBlocks } from '../support/documented.ts'
import { program } from '../support/program.ts'
import { openGuideShell, shownAs } from './guide-shell.ts'

const PAGE = 'docs/resources.md'
const blocks = documentedBlocks(PAGE)

test('every command of the guide runs as shown, one after the other, and prints what is shown', async (t) => {
  const vitrine = program(t)
  let url = ''
  const shell = await openGuideShell(vitrine, { here: (text) => text.replaceAll('http://127.0.0.1:3000', url) })
  const [sample] = blocks.filter(({ language }) => language === 'csv')
  vitrine.writeFile('orders.csv', sample?.text ?? '')
  let commands = 0
  for (const [i, { language, text, line }] of blocks.entries()) {
    if (language !== 'sh') continue
    if (/^export RESOURCES/m.test(text)) vitrine.env.RESOURCES = `${vitrine.folder}/resources`
    if (text === 'bin/vitrine serve\n') {
      url = (await vitrine.start('serve')).url
      continue
    }
    const printed = await shell.paste(text)
    const next = blocks[i + 1]
    const shown = next?.language === 'text' ? next.text : ''
    assert.match(printed, shownAs(shown), `${PAGE}:${line} shows\n${shown}\nand prints\n${printed}`)
    commands++
  }
  assert.ok(commands > 5)
})
