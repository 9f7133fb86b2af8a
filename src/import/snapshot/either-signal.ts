/** Aborts as soon as one of the two does. A timeout that is the only source of AbortSignal.any could be collected before it fires. */
export const eitherSignal = (signal: AbortSignal | undefined, other: AbortSignal): AbortSignal =>
  signal === undefined ? other : AbortSignal.any([signal, other])
