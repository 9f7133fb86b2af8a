/** Addresses that look like ASCII, or become ASCII when their case is folded by the rules of Unicode, and the plain one. */
export const confusableEmails = {
  'KELVIN SIGN': ['mi\u212Ae@acme.example', 'mike@acme.example'],
  'LONG S': ['\u017Fue@acme.example', 'sue@acme.example'],
  'DOTTED CAPITAL I': ['\u0130da@acme.example', 'ida@acme.example'],
  'DOTLESS I': ['\u0131da@acme.example', 'ida@acme.example'],
  'FULLWIDTH M': ['\uFF4Dike@acme.example', 'mike@acme.example'],
  'FULLWIDTH @': ['mike\uFF20acme.example', 'mike@acme.example'],
  'CYRILLIC E': ['mik\u0435@acme.example', 'mike@acme.example'],
  'a host with a KELVIN SIGN': ['mike@\u212Aiosk.example', 'mike@kiosk.example'],
  'a host with an ideographic full stop': ['mike@acme\u3002example', 'mike@acme.example'],
  'SOFT HYPHEN': ['mi\u00ADke@acme.example', 'mike@acme.example'],
} as const
