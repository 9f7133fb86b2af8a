/** How much of something bounded is in use. */
export interface Occupancy {
  current: number
  limit: number
}
