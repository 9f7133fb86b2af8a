/** The build writes its commit here; in a clone, cli/version.ts asks git. */
export const commit: string | undefined = undefined
