/** Of what was built; the build writes it here. A clone is asked for its own, by cli/version.ts. */
export const commit: string | undefined = undefined
