/** The zone's name as Intl spells it; undefined if there is no such zone. Intl accepts any case, and links to other names. */
export function zoneOf(name: string): string | undefined {
  // No name has other characters, and Intl may fold some of them.
  if (!/^[A-Za-z][\w/+-]*$/.test(name)) return undefined
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

/**
 * Whether a name may be added to the database's list: that is as old as its schema, and new zones come with the runtime.
 * Links are not added, because Intl does not say how they are spelled.
 */
export const isZone = (name: string | number | null | undefined): name is string =>
  typeof name === 'string' && zoneOf(name) === name

/** The database may have the name already. */
export const LEARN_TIMEZONE = 'INSERT INTO timezones (name) VALUES (?) ON CONFLICT (name) DO NOTHING'
