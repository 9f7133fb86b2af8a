/** Aborts as soon as one of the two does. */
export const eitherSignal = (signal: AbortSignal | undefined, other: AbortSignal): AbortSignal =>
  signal === undefined ? other : AbortSignal.any([signal, other])
