import { readFileSync } from 'node:fs'

/** A longer statement, from the folder `sql`. */
export const sqlFile = (name: string): string => readFileSync(new URL(`./sql/${name}.sql`, import.meta.url), 'utf8')
