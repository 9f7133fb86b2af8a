/** As Intl spells a name's zone; undefined if it knows none of that name. It takes any case, and links of other names. */
export function zoneOf(name: string): string | undefined {
  // No name has other characters; Intl may fold some of them.
  if (!/^[A-Za-z][\w/+-]*$/.test(name)) return undefined
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

/**
 * Whether a database may learn this name: its list is as old as its schema, and new zones come with the runtime. A link
 * is not learned, for Intl does not say how it is spelled.
 */
export const isZone = (name: string | number | null | undefined): name is string =>
  typeof name === 'string' && zoneOf(name) === name

/** Written by a database that may have the name already. */
export const LEARN_TIMEZONE = 'INSERT INTO timezones (name) VALUES (?) ON CONFLICT (name) DO NOTHING'
