/** Where the deployment is, and whom to trust there instead of the usual authorities. */
export interface Target {
  /** Without a path: the contract's paths stand at the root. */
  url: URL
  /** PEM certificates. */
  ca?: string
}
