import { InvalidArgumentError } from 'commander'
import ms, { type StringValue } from 'ms'

/** Collects the values of a repeated option. */
export function collect(text: string, all: string[] = []): string[] {
  return [...all, text]
}

/** Parses an option as a whole number within bounds. */
export function whole(least: number, most: number) {
  return (text: string): number => {
    const value = Number(text)
    if (!Number.isInteger(value) || value < least || value > most)
      throw new InvalidArgumentError(`Give a whole number from ${least} to ${most}.`)
    return value
  }
}

/** Parses a share such as `95%`; returns a fraction. */
export function share(text: string): number {
  const value = /^(\d+(?:\.\d+)?)%$/.exec(text)?.[1]
  if (value === undefined || Number(value) > 100)
    throw new InvalidArgumentError('Give a share from 0% to 100%, such as 95%.')
  return Number(value) / 100
}

/** Parses a duration such as `90s` or `1h`; returns milliseconds. */
export function duration(text: string): number {
  const value = /^\d+(?:\.\d+)?(?:ms|s|m|h|d)$/.test(text) ? ms(text as StringValue) : 0
  if (value <= 0) throw new InvalidArgumentError('Give a length of time such as 90s, 10m or 1h.')
  return value
}

/** Parses a part of a whole such as `2/5`, which is the second of five. */
export function shard(text: string): { number: number; of: number } {
  const [, number = 0, of = 0] = (/^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []).map(Number)
  if (number < 1 || number > of || of > MOST_SHARDS)
    throw new InvalidArgumentError(`Give a part such as 2/5, of at most ${MOST_SHARDS}.`)
  return { number, of }
}

const MOST_SHARDS = 1000
