// oxlint-disable-next-line no-restricted-imports -- its one use where a service chooses how many there are
import { useQueries, type QueryKey, type UseQueryOptions, type UseQueryResult } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { ApiError } from '../api/client/errors/api-error.ts'
import { firstOfEach } from '../lib/first-of-each.ts'

/**
 * Maximum number of records of a list for which further data is read automatically: each costs a request, and memory
 * while it is shown, and the service decides how many there are.
 */
export const MOST_EACH = 200

/** Identifies items by their id. */
export function idOf({ id }: { id: string }): string {
  return id
}

/** Identifies items that are names. */
export function ownName(name: string): string {
  return name
}

/**
 * Returns the first item of each name, at most `most` of them, and how many more names there are.
 * @param nameOf returns what identifies the reads of an item; must be stable
 */
export function useFirstOfEach<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  most = MOST_EACH,
): { first: readonly Item[]; left: number } {
  return useMemo(() => firstOfEach(items, nameOf, most), [items, nameOf, most])
}

/** Reads one operation for each of the first items, once per name, in the order of `first`. */
export function useEach<Item, T, Key extends QueryKey>(
  items: readonly Item[],
  of: {
    nameOf: (item: Item) => string
    options: (item: Item, index: number) => UseQueryOptions<T, ApiError, T, Key>
    most?: number
  },
): { first: readonly Item[]; left: number; reads: readonly UseQueryResult<T, ApiError>[] } {
  const { first, left } = useFirstOfEach(items, of.nameOf, of.most)
  return { first, left, reads: useQueries({ queries: first.map(of.options) }) }
}
