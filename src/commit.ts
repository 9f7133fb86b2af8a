/** The build writes its commit here. */
export const commit: string | undefined = undefined
