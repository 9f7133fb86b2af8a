// Imported before a program: writes the address of every module that it loads to the file LOADED_MODULES names.
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

registerHooks({
  load(url, context, nextLoad) {
    appendFileSync(process.env.LOADED_MODULES, `${url}\n`)
    return nextLoad(url, context)
  },
})
