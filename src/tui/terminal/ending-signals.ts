import { constants } from 'node:os'

/** Every signal that ends the program and can be caught; all of them restore the terminal and settle open work. */
const ENDING_SIGNALS = [
  'SIGINT',
  'SIGTERM',
  'SIGHUP',
  'SIGQUIT',
  'SIGABRT',
  'SIGALRM',
  'SIGUSR2',
  'SIGXCPU',
  'SIGXFSZ',
] as const

export type EndingSignal = (typeof ENDING_SIGNALS)[number]

/**
 * Returns the exit code that a shell reports for a program ended by a signal: 128 plus the signal's number on this
 * system.
 */
export function signalExitCode(signal: EndingSignal): number {
  return 128 + constants.signals[signal]
}

export function isEndingSignal(value: unknown): value is EndingSignal {
  return ENDING_SIGNALS.some(signal => signal === value)
}

/** Returns the ending signals of this system, with their numbers. */
export function heardSignals(): readonly (readonly [EndingSignal, number])[] {
  return ENDING_SIGNALS.filter(signal => signal in constants.signals).map(signal => [signal, constants.signals[signal]])
}

/** Calls the listener at each signal that would end the process; returns a function that stops that. */
export function onEndingSignal(listener: (signal: EndingSignal) => void): () => void {
  const heard = heardSignals().map(([signal]) => signal)
  // Node also passes the number of the signal.
  const hear = (signal: NodeJS.Signals): void => listener(signal as EndingSignal)
  for (const signal of heard) process.on(signal, hear)
  return () => {
    for (const signal of heard) process.off(signal, hear)
  }
}
