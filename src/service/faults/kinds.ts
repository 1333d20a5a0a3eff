/** Faults that can be injected on request, each at a rate. */
export const FAULT_KINDS = [
  /** Answers as usual, but later, by a number of milliseconds. */
  'latency',
  /** Refuses the request before it is executed, at random with or without `Retry-After`. */
  '429',
  /** Fails before the request is executed, with an error of the contract. */
  '500',
  '502',
  '504',
  /** Fails before the request is executed, with a code that is not in the contract. */
  '503',
  /** Answers with an HTML page before the request is executed, as a proxy might. */
  'html',
  /** Executes the request, then cuts the connection before any answer. */
  'drop',
  /** Executes the request, then cuts the connection in the middle of the body. */
  'truncate',
  /** Executes the request, and answers with fields that are not in the contract. */
  'fields',
  /** Executes the request, and answers with values that are not in the contract's open lists. */
  'enums',
] as const

export type FaultKind = (typeof FAULT_KINDS)[number]

const others = FAULT_KINDS.filter(kind => kind !== 'latency').join(', ')

/** Syntax of a fault, for help and refusals. */
export const FAULT_FORM = `latency=MS or latency=MS:RATE, or one of ${others} with a rate from 0 to 1`
