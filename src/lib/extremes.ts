/**
 * Returns the smallest number; Infinity if there are none. There may be more numbers than a call can have arguments.
 */
export function least(numbers: Iterable<number>): number {
  let found = Infinity
  for (const number of numbers) found = Math.min(found, number)
  return found
}

/**
 * Returns the largest number; -Infinity if there are none. There may be more numbers than a call can have arguments.
 */
export function greatest(numbers: Iterable<number>): number {
  let found = -Infinity
  for (const number of numbers) found = Math.max(found, number)
  return found
}
