/** The smallest of the numbers, which may be more than a call can have arguments; Infinity if there are none. */
export function least(numbers: Iterable<number>): number {
  let found = Infinity
  for (const number of numbers) found = Math.min(found, number)
  return found
}

/** The largest of the numbers, which may be more than a call can have arguments; -Infinity if there are none. */
export function greatest(numbers: Iterable<number>): number {
  let found = -Infinity
  for (const number of numbers) found = Math.max(found, number)
  return found
}
