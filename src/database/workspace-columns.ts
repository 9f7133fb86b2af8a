/** A workspace's columns under the names of its record. */
export const WORKSPACE_COLUMNS = `
  id, slug, name, timezone, currency_code AS "currencyCode", country_code AS "countryCode",
  created_at AS "createdAt", archived_at AS "archivedAt"`
