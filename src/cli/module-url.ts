import { extname } from 'node:path'

/** Adds the caller's extension, which is .ts in a clone and .js in a package. */
export const moduleUrl = (name: string, from: string): URL => new URL(name + extname(from), from)
