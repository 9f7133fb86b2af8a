import { extname } from 'node:path'

/** The address of another module, named without its extension: it has the caller's, which is .ts in a clone and .js in a package. */
export const moduleUrl = (name: string, from: string): URL => new URL(name + extname(from), from)
