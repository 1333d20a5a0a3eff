/** The least of numbers, of which there may be more than a call takes arguments; Infinity for none. */
export function least(numbers: Iterable<number>): number {
  let found = Infinity
  for (const number of numbers) found = Math.min(found, number)
  return found
}

/** The greatest of numbers, of which there may be more than a call takes arguments; -Infinity for none. */
export function greatest(numbers: Iterable<number>): number {
  let found = -Infinity
  for (const number of numbers) found = Math.max(found, number)
  return found
}
