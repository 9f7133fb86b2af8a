/** The characters of RFC 3986, because the published format is `uri`. */
const URI = /^https?:\/\/(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[\da-f]{2})+$/i

export const isHttpUrl = (text: string): boolean => URI.test(text) && URL.canParse(text)
