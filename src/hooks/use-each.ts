// oxlint-disable-next-line no-restricted-imports -- its one use where a service chooses how many there are
import { useQueries, type QueryKey, type UseQueryOptions, type UseQueryResult } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { ApiError } from '../api/client/errors/api-error.ts'
import { firstOfEach } from '../lib/first-of-each.ts'

/**
 * Maximum number of records of one list about each of which something is read without a person: each costs a request,
 * and memory for as long as it shows, and the service chooses how many there are.
 */
export const MOST_EACH = 200

/** What is told apart by its id. */
export function idOf({ id }: { id: string }): string {
  return id
}

/** A name that stands for itself. */
export function ownName(name: string): string {
  return name
}

/**
 * The first of each name, at most that many of them, and how many more names there are.
 * @param nameOf what tells them apart as the ids of the reads do; a function that stays the same
 */
export function useFirstOfEach<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  most = MOST_EACH,
): { first: readonly Item[]; left: number } {
  return useMemo(() => firstOfEach(items, nameOf, most), [items, nameOf, most])
}

/** Reads something about the first of several things, about those of one name once; in the order of `first`. */
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
