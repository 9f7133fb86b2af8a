/**
 * A value, or a promise of it. Where nothing has to be awaited, no promise is created: they would cost a twentieth of a
 * request, see docs/decisions/0018-each-mechanism-measured.md.
 */
export type MaybePromise<T> = T | Promise<T>
