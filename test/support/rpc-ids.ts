const lines = (text: string) => text.trim().split('\n')

/** Ids that every version of the protocol echoes: JSON as it is written in a request, and so in its response. */
export const echoedIds = [
  ...lines(String.raw`
""
"a"
"0"
"null"
"a \"quoted\" \\ id"
"👜"
"日本"
0
-0
1
-7
9007199254740991
9007199254740993
12345678901234567890
-12345678901234567890
1.0
1e2
-3.00E+2`),
  `"${'x'.repeat(100_000)}"`,
]

/** Written with escapes, so that only the same string comes back. */
export const escapedIds = lines(String.raw`
"\u0041\n\u2028"
"\ud83d\udc5c"
"\ud800"
"\u0000"`)
